"""CUDA and HIP sources on the host: their translation, and the C++ that they are compiled with.

`translate` turns a source into C++ for the headers under ``include/``; the runtime under
``runtime/`` runs its kernels. `find_places` finds the lines of what that runtime saw.
"""
