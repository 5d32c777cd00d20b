// Whose spelling a source is written in.
#pragma once

struct opwright_emulated_stream;
struct opwright_emulated_event;

namespace opwright {
namespace emulated {

enum class Vendor { cuda, hip };

using Stream = ::opwright_emulated_stream*;

}  // namespace emulated
}  // namespace opwright
