// What the simulated device offers to libraries of kernels: the part that a CUDA driver has for a
// runtime library. Errors are numbers, those of CUDA and HIP.
//
// The device is a library of its own, loaded with its symbols visible to all; who finds no
// opwright_simulated_driver in the process has no such device.
#pragma once

#include <stddef.h>

struct opwright_emulated_stream;

extern "C" {

// A stream is null for the default one of the current device.
struct opwright_simulated_driver_table {
  int (*device_count)();
  int (*current_device)();
  int (*set_device)(int device);
  opwright_emulated_stream* (*current_stream)(int device);
  int (*new_stream)(opwright_emulated_stream** stream);

  // Puts work on a stream. `run` returns an error's number, and is called as often as a graph with
  // the work in it is replayed; `release` once, when nobody can run it any more.
  int (*enqueue)(opwright_emulated_stream* stream, const char* name, int (*run)(void*),
                 void (*release)(void*), void* context);

  // What the work that this thread is doing is called, now that it says so itself.
  void (*name_work)(const char* name);

  int (*synchronize_stream)(opwright_emulated_stream* stream);
  int (*synchronize_device)();
  int (*stream_is_done)(opwright_emulated_stream* stream);

  // Of the current device; as cudaMalloc and cudaFree, which wait for the device.
  int (*allocate)(void** memory, size_t size_bytes);
  int (*release)(void* memory);

  // Either end may be the host's. Where it is, and is not waited for, the host's memory has to live
  // on, as pinned memory has to.
  int (*copy)(void* to, const void* from, size_t size_bytes, opwright_emulated_stream* stream,
              int waits);
  int (*fill)(void* to, int value, size_t size_bytes, opwright_emulated_stream* stream);
};

using opwright_simulated_driver_function = const opwright_simulated_driver_table* (*)();

}  // extern "C"
