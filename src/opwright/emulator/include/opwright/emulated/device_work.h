// What the host asks of the device besides kernels. Without a device all of it has happened when
// the call returns; with a simulated one it is put on its streams. Errors' numbers are returned.
#pragma once

#include <stddef.h>

#include "vendor.h"

namespace opwright {
namespace emulated {

int count_devices(int* count);
int ask_device(int* device);
int choose_device(int device);

int make_stream(Stream* stream);
int query_stream(Stream stream);
int wait_for_stream(Stream stream);
int wait_for_device();

// Either end may be the host's.
int copy(void* to, const void* from, size_t size_bytes, Stream stream, bool waits);
int fill(void* to, int value, size_t size_bytes, Stream stream);

}  // namespace emulated
}  // namespace opwright
