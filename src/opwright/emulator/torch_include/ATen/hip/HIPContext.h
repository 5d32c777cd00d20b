// Stands in front of torch's own header, which needs the toolkit.
#pragma once
#include <opwright/emulated/torch_device.h>
