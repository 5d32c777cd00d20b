// Stands in front of HIP's own header.
#pragma once
#ifndef OPWRIGHT_EMULATED_HIP
#define OPWRIGHT_EMULATED_HIP
#endif
#include "../opwright/emulated/device.h"
#include "../opwright/emulated/hip_api.h"
#include "../opwright/emulated/hip_vectors.h"
