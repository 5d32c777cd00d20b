// The device that is simulated in this process, for a library that is built for it.
#pragma once

#include <opwright/simulated_driver.h>

namespace opwright {
namespace emulated {

// Null: the library runs kernels by itself, at once.
const opwright_simulated_driver_table* simulated();

}  // namespace emulated
}  // namespace opwright
