// All of the device language that does not depend on the spelling.
//
// HOW TO COMPILE. Sources are translated first (opwright.emulator.translate); then
//   g++ -std=c++17 -D OPWRIGHT_WAVE_SIZE=32|64 -I .../emulator/include [-I .../opwright/include]
//       -include opwright/emulated/as_nvcc.h    for CUDA spelling, or
//       -include opwright/emulated/as_hipcc.h   for HIP spelling
// without NDEBUG, and for the runs that watch memory
//       -g -O1 -fsanitize=thread -fsanitize=undefined -fno-sanitize=vptr
// which is linked WITHOUT -fsanitize=...: the runtime has the functions that such code calls. An
// AddressSanitizer build (-fsanitize=address) is compiled and linked as any other.
// The runtime (emulator/runtime/*.cpp, with -I include -I runtime) is linked into each library,
// always compiled without -fsanitize=... . What a host program calls is in control.h.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "atomics.h"
#include "barrier.h"
#include "execution.h"
#include "here.h"
#include "intrinsics.h"
#include "launch.h"
#include "math.h"
#include "memory.h"
#include "qualifiers.h"
#include "refused.h"
#include "shared.h"
#include "vectors.h"
#include "wave.h"
