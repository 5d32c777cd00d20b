"""CUDA and HIP sources on the host: their translation, and the C++ that they are compiled with.

`translate` turns a source into C++ for the headers under ``include/``; the runtime under
``runtime/`` runs its kernels. `read_findings` reads what that runtime found.
"""
