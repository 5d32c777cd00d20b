// What the lanes of a wave (a warp) do together: shuffles, votes, __syncwarp.
//
// The functions that end in _sync take the mask of those who take part. The others, HIP's, are for
// the lanes that arrive together: when every lane of the wave waits or has exited, those at the
// first of the places in the source go on.
#pragma once

#include <string.h>

#include "here.h"

namespace opwright {
namespace emulated {

enum class Collective {
  exchange,
  vote,
  match,
  add,
  min,
  max,
  min_signed,
  max_signed,
  band,
  bor,
  bxor,
  sync
};

struct Place {
  const char* file;
  int line;
};

constexpr uint64_t kWholeWave = ~uint64_t{0};

// What the lane gets: the value of `source`; the lanes with a non-zero value; the lanes with the
// same value; the combination of all values; the lanes that take part.
uint64_t collective(Collective kind, uint64_t value, int source, uint64_t mask, bool masked,
                    Place place);

OPWRIGHT_EMULATED_HIDDEN int lane() { return here.thread->lane; }

template <typename T>
__attribute__((no_sanitize("thread"))) T exchange(T value, int source, uint64_t mask, bool masked,
                                                  Place place) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = collective(Collective::exchange, bits, source, mask, masked, place);
  memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

// Which lane a shuffle reads; lanes are in segments of `width`, and none reads beyond its own.
OPWRIGHT_EMULATED_HIDDEN int from_index(int index, int width) {
  return (lane() & ~(width - 1)) + (index & (width - 1));
}
OPWRIGHT_EMULATED_HIDDEN int from_above(int delta, int width) {
  const int source = lane() + delta;
  return (lane() & (width - 1)) + delta < width ? source : lane();
}
OPWRIGHT_EMULATED_HIDDEN int from_below(int delta, int width) {
  return (lane() & (width - 1)) - delta >= 0 ? lane() - delta : lane();
}
OPWRIGHT_EMULATED_HIDDEN int from_xor(int bits, int width) {
  const int source = lane() ^ bits;
  return source < (lane() & ~(width - 1)) + width ? source : lane();
}

}  // namespace emulated
}  // namespace opwright

#define OPWRIGHT_SHUFFLE(name, Offset, from)                                                       \
  template <typename T>                                                                            \
  __attribute__((no_sanitize("thread"))) T name##_sync(                                            \
      unsigned long long mask, T value, Offset offset, int width = OPWRIGHT_WAVE_SIZE,             \
      const char* file = __builtin_FILE(), int line = __builtin_LINE()) {                          \
    return ::opwright::emulated::exchange(value, ::opwright::emulated::from(int(offset), width),   \
                                          mask, true, {file, line});                               \
  }                                                                                                \
  template <typename T>                                                                            \
  __attribute__((no_sanitize("thread"))) T name(                                                   \
      T value, Offset offset, int width = OPWRIGHT_WAVE_SIZE, const char* file = __builtin_FILE(), \
      int line = __builtin_LINE()) {                                                               \
    return ::opwright::emulated::exchange(value, ::opwright::emulated::from(int(offset), width),   \
                                          ::opwright::emulated::kWholeWave, false, {file, line});  \
  }

OPWRIGHT_SHUFFLE(__shfl, int, from_index)
OPWRIGHT_SHUFFLE(__shfl_down, unsigned, from_above)
OPWRIGHT_SHUFFLE(__shfl_up, unsigned, from_below)
OPWRIGHT_SHUFFLE(__shfl_xor, int, from_xor)
#undef OPWRIGHT_SHUFFLE

// As wide as the wave: 32 bits of CUDA's, 64 of HIP's on chips with wave64.
#if OPWRIGHT_WAVE_SIZE == 64 || defined(OPWRIGHT_EMULATED_HIP)
using opwright_ballot_t = unsigned long long;
#else
using opwright_ballot_t = unsigned;
#endif

#define OPWRIGHT_WAVE(type, name, parameters, kind, value, mask, masked, result)                  \
  OPWRIGHT_EMULATED_HIDDEN type name parameters {                                                 \
    const uint64_t got = ::opwright::emulated::collective(::opwright::emulated::Collective::kind, \
                                                          value, 0, mask, masked, {file, line});  \
    return result;                                                                                \
  }
#define OPWRIGHT_ALL ::opwright::emulated::kWholeWave
#define OPWRIGHT_WITH_MASK(...)                                               \
  (unsigned long long mask, __VA_ARGS__, const char* file = __builtin_FILE(), \
   int line = __builtin_LINE())
#define OPWRIGHT_WITHOUT_MASK(...) \
  (__VA_ARGS__, const char* file = __builtin_FILE(), int line = __builtin_LINE())

OPWRIGHT_WAVE(opwright_ballot_t, __ballot_sync, OPWRIGHT_WITH_MASK(int predicate), vote,
              predicate != 0, mask, true, opwright_ballot_t(got))
OPWRIGHT_WAVE(int, __any_sync, OPWRIGHT_WITH_MASK(int predicate), vote, predicate != 0, mask, true,
              got != 0)
OPWRIGHT_WAVE(int, __all_sync, OPWRIGHT_WITH_MASK(int predicate), vote, predicate == 0, mask, true,
              got == 0)
OPWRIGHT_WAVE(opwright_ballot_t, __ballot, OPWRIGHT_WITHOUT_MASK(int predicate), vote,
              predicate != 0, OPWRIGHT_ALL, false, opwright_ballot_t(got))
OPWRIGHT_WAVE(int, __any, OPWRIGHT_WITHOUT_MASK(int predicate), vote, predicate != 0, OPWRIGHT_ALL,
              false, got != 0)
OPWRIGHT_WAVE(int, __all, OPWRIGHT_WITHOUT_MASK(int predicate), vote, predicate == 0, OPWRIGHT_ALL,
              false, got == 0)
OPWRIGHT_WAVE(unsigned, __reduce_add_sync, OPWRIGHT_WITH_MASK(unsigned value), add, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(unsigned, __reduce_min_sync, OPWRIGHT_WITH_MASK(unsigned value), min, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(unsigned, __reduce_max_sync, OPWRIGHT_WITH_MASK(unsigned value), max, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(int, __reduce_add_sync, OPWRIGHT_WITH_MASK(int value), add, unsigned(value), mask,
              true, int(got))
OPWRIGHT_WAVE(int, __reduce_min_sync, OPWRIGHT_WITH_MASK(int value), min_signed,
              uint64_t(int64_t(value)), mask, true, int(got))
OPWRIGHT_WAVE(int, __reduce_max_sync, OPWRIGHT_WITH_MASK(int value), max_signed,
              uint64_t(int64_t(value)), mask, true, int(got))
OPWRIGHT_WAVE(unsigned, __reduce_and_sync, OPWRIGHT_WITH_MASK(unsigned value), band, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(unsigned, __reduce_or_sync, OPWRIGHT_WITH_MASK(unsigned value), bor, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(unsigned, __reduce_xor_sync, OPWRIGHT_WITH_MASK(unsigned value), bxor, value, mask,
              true, unsigned(got))
OPWRIGHT_WAVE(opwright_ballot_t, __activemask,
              (const char* file = __builtin_FILE(), int line = __builtin_LINE()), vote, 1,
              OPWRIGHT_ALL, false, opwright_ballot_t(got))
OPWRIGHT_WAVE(void, __syncwarp,
              (unsigned long long mask = OPWRIGHT_ALL, const char* file = __builtin_FILE(),
               int line = __builtin_LINE()),
              sync, 0, mask, true, (void)got)
// AMD's: nothing crosses it that the wave does, which is in step there.
OPWRIGHT_WAVE(void, __builtin_amdgcn_wave_barrier,
              (const char* file = __builtin_FILE(), int line = __builtin_LINE()), sync, 0,
              OPWRIGHT_ALL, false, (void)got)
#undef OPWRIGHT_WITH_MASK
#undef OPWRIGHT_WITHOUT_MASK
#undef OPWRIGHT_ALL
#undef OPWRIGHT_WAVE

template <typename T>
__attribute__((no_sanitize("thread"))) opwright_ballot_t
__match_any_sync(unsigned long long mask, T value, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  static_assert(sizeof(T) <= 8, "values of at most 8 bytes are matched");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return opwright_ballot_t(::opwright::emulated::collective(::opwright::emulated::Collective::match,
                                                            bits, 0, mask, true, {file, line}));
}

OPWRIGHT_EMULATED_HIDDEN int __lane_id() { return ::opwright::emulated::lane(); }
