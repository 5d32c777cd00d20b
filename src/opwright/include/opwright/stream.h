// The queue that device work is put on.
#pragma once

namespace opwright {

// The CPU has no queue: its kernels return when they are done, and take no Stream.
struct Stream {};

}  // namespace opwright
