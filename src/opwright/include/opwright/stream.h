// The stream that a launcher is given, without a toolkit's header: a binding needs only its name.
#pragma once

#if defined(OPWRIGHT_EMULATED)
struct opwright_emulated_stream;
namespace opwright {
using Stream = ::opwright_emulated_stream*;
}
#elif (defined(__HIPCC__) || defined(OPWRIGHT_HIP)) && !defined(OPWRIGHT_HIP_OVER_CUDA)
struct ihipStream_t;
namespace opwright {
using Stream = ::ihipStream_t*;
}
#else
struct CUstream_st;
namespace opwright {
using Stream = ::CUstream_st*;
}
#endif
