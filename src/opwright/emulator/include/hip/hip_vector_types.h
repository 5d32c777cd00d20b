// Stands in front of HIP's own header.
#pragma once
#include "../opwright/emulated/hip_vectors.h"
