// Stands in front of CUDA's own header.
#pragma once
#include "opwright/emulated/vectors.h"
