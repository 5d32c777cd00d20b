#include <Python.h>

#include <cstdint>

// scale(input, weight, output, rows, columns), addresses as integers
static PyObject* scale(PyObject*, PyObject* arguments) {
  unsigned long long x, w, y;
  Py_ssize_t rows, columns;
  if (!PyArg_ParseTuple(arguments, "KKKnn", &x, &w, &y, &rows, &columns)) return nullptr;
  const auto* input = reinterpret_cast<const float*>(static_cast<uintptr_t>(x));
  const auto* weight = reinterpret_cast<const float*>(static_cast<uintptr_t>(w));
  auto* output = reinterpret_cast<float*>(static_cast<uintptr_t>(y));
  for (Py_ssize_t i = 0; i < rows; ++i)
    for (Py_ssize_t j = 0; j < columns; ++j)
      output[i * columns + j] = input[i * columns + j] * weight[j];
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"scale", scale, METH_VARARGS, nullptr}, {}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "scale", nullptr, -1, methods};

#define CONCATENATED(a, b) a##b
#define INIT(name) CONCATENATED(PyInit_, name)
PyMODINIT_FUNC INIT(TORCH_EXTENSION_NAME)() { return PyModule_Create(&definition); }
