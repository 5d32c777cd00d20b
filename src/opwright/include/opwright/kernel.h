// The one header that a kernel source includes. It includes no torch header.
//
// A CPU kernel is a template over the element type, with the schema's arguments in their order:
//
//   template <typename T>
//   void scaled_add(opwright::View<const T, 1> input, double scale, opwright::View<T, 1> output);
//
//   Tensor       View<const T, Rank>, or View<T, Rank> where the schema marks it as mutated
//   Tensor?      the same, with View::absent() for None (test it with `if (view)`)
//   int, float, bool, str      int64_t, double, bool, const char*
//   int?, float?, bool?        Optional<int64_t>, Optional<double>, Optional<bool>
//
// The outputs follow as View<T, Rank>. Opwright instantiates the template for every declared dtype.
#pragma once

#include "dtype.h"
#include "error.h"
#include "optional.h"
#include "view.h"

// A launcher of a device kernel has a stream, launches, and an index for each thread.
#if defined(__CUDACC__) || defined(__HIPCC__)
#include "device.h"
#else
// Loops and functions that are written for the vector units and threads of a CPU.
#include "elementwise.h"
#include "math.h"
#include "parallel.h"
#include "rows.h"
#endif
