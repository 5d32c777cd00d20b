// Random numbers that follow from a seed and an index alone: the same on every target, in any
// order, and once more in a backward.
#pragma once

#include <stdint.h>

#include "target.h"

namespace opwright {

// A place in a tensor, as four neighbours have it in common and what is left. Who computes all four
// of `quad` at once lets the compiler see that they share one set of random words.
struct Place {
  uint64_t quad;
  int in_quad;

  OPWRIGHT_INLINE Place(uint64_t quad, int in_quad) : quad(quad), in_quad(in_quad) {}
  OPWRIGHT_INLINE Place(int64_t index)
      : quad(static_cast<uint64_t>(index) / 4), in_quad(static_cast<int>(index & 3)) {}
  OPWRIGHT_INLINE operator int64_t() const { return static_cast<int64_t>(quad * 4) + in_quad; }
};

// 32 random bits, by Philox 4x32-10 (J. K. Salmon et al., Parallel random numbers: as easy as
// 1, 2, 3, SC 2011). Its counter is the quad and gives four such words, its key is the seed.
OPWRIGHT_INLINE uint32_t random_bits(uint64_t seed, Place place) {
  const uint64_t counter = place.quad;
  uint32_t word[4] = {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0};
  uint32_t low = static_cast<uint32_t>(seed), high = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t(0xD2511F53u) * word[0], b = uint64_t(0xCD9E8D57u) * word[2];
    word[0] = static_cast<uint32_t>(b >> 32) ^ word[1] ^ low;
    word[1] = static_cast<uint32_t>(b);
    word[2] = static_cast<uint32_t>(a >> 32) ^ word[3] ^ high;
    word[3] = static_cast<uint32_t>(a);
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return word[place.in_quad];
}

// Dropout with probability p, 0 <= p <= 1: which elements it keeps, and what those are multiplied
// with so that their mean stays.
class Dropout {
 public:
  Dropout(double p, int64_t seed)
      : seed_(static_cast<uint64_t>(seed)),
        dropped_(static_cast<uint64_t>(p * 4294967296.0)),  // of the 2^32 words
        scale_(p < 1 ? 1 / (1 - p) : 0) {}

  OPWRIGHT_INLINE bool keeps(Place place) const { return random_bits(seed_, place) >= dropped_; }

  // The element at this place after dropout.
  template <typename F>
  OPWRIGHT_INLINE F of(F value, Place place) const {
    return keeps(place) ? value * static_cast<F>(scale_) : F(0);
  }

  // The same where the random bits of its place have been drawn already, with this seed.
  template <typename F>
  OPWRIGHT_INLINE F of_drawn(F value, uint32_t bits) const {
    return bits >= dropped_ ? value * static_cast<F>(scale_) : F(0);
  }
  OPWRIGHT_INLINE uint64_t seed() const { return seed_; }

 private:
  uint64_t seed_;
  uint64_t dropped_;
  double scale_;
};

}  // namespace opwright
