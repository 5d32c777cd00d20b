// Stands in front of HIP's own header.
#pragma once
#include "hip_runtime.h"
