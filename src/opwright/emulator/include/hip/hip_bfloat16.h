// Stands in front of HIP's own header.
#pragma once
#include "../opwright/emulated/bfloat16.h"
