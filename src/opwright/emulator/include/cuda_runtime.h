// Stands in front of CUDA's own header.
#pragma once
#include "opwright/emulated/cuda_api.h"
#include "opwright/emulated/device.h"
