// Cooperative groups: the block, and tiles of a wave.
#pragma once

#include "barrier.h"
#include "wave.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    __syncthreads(file, line);
  }
  static void barrier_wait() = delete;  // split barriers are not emulated
  OPWRIGHT_EMULATED_HIDDEN static unsigned thread_rank() {
    return ::opwright::emulated::here.thread->rank;
  }
  OPWRIGHT_EMULATED_HIDDEN static unsigned size() {
    return ::opwright::emulated::here.block->threads;
  }
  OPWRIGHT_EMULATED_HIDDEN static unsigned num_threads() { return size(); }
  OPWRIGHT_EMULATED_HIDDEN static dim3 group_index() { return blockIdx; }
  OPWRIGHT_EMULATED_HIDDEN static dim3 thread_index() { return threadIdx; }
  OPWRIGHT_EMULATED_HIDDEN static dim3 group_dim() { return blockDim; }
  OPWRIGHT_EMULATED_HIDDEN static dim3 dim_threads() { return blockDim; }
};

OPWRIGHT_EMULATED_HIDDEN thread_block this_thread_block() { return {}; }

// Lanes of one wave, by their mask; ranks are counted among them.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned long long mask) : mask_(mask) {}

  void sync(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    __syncwarp(mask_, file, line);
  }
  unsigned thread_rank() const {
    const unsigned long long below = (1ull << ::opwright::emulated::lane()) - 1;
    return unsigned(__builtin_popcountll(mask_ & below));
  }
  unsigned size() const { return unsigned(__builtin_popcountll(mask_)); }
  unsigned num_threads() const { return size(); }

  template <typename T>
  T shfl(T value, int rank, const char* file = __builtin_FILE(),
         int line = __builtin_LINE()) const {
    return from(value, lane_of(rank), file, line);
  }
  template <typename T>
  T shfl_down(T value, unsigned delta, const char* file = __builtin_FILE(),
              int line = __builtin_LINE()) const {
    const unsigned source = thread_rank() + delta;
    return from(value, lane_of(int(source < size() ? source : thread_rank())), file, line);
  }
  template <typename T>
  T shfl_up(T value, unsigned delta, const char* file = __builtin_FILE(),
            int line = __builtin_LINE()) const {
    const unsigned rank = thread_rank();
    return from(value, lane_of(int(rank >= delta ? rank - delta : rank)), file, line);
  }
  template <typename T>
  T shfl_xor(T value, unsigned bits, const char* file = __builtin_FILE(),
             int line = __builtin_LINE()) const {
    const unsigned source = thread_rank() ^ bits;
    return from(value, lane_of(int(source < size() ? source : thread_rank())), file, line);
  }
  int any(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return __any_sync(mask_, predicate, file, line);
  }
  int all(int predicate, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return __all_sync(mask_, predicate, file, line);
  }
  // One bit a rank.
  opwright_ballot_t ballot(int predicate, const char* file = __builtin_FILE(),
                           int line = __builtin_LINE()) const {
    const unsigned long long lanes = __ballot_sync(mask_, predicate, file, line);
    opwright_ballot_t ranks = 0;
    unsigned rank = 0;
    for (unsigned long long rest = mask_; rest; rest &= rest - 1, ++rank) {
      if (lanes >> __builtin_ctzll(rest) & 1) ranks |= opwright_ballot_t(1) << rank;
    }
    return ranks;
  }

 protected:
  int lane_of(int rank) const {
    unsigned long long rest = mask_;
    while (rank-- > 0 && rest) rest &= rest - 1;
    return rest ? __builtin_ctzll(rest) : -1;
  }
  template <typename T>
  T from(T value, int lane, const char* file, int line) const {
    return ::opwright::emulated::exchange(value, lane, mask_, true, {file, line});
  }

  unsigned long long mask_;
};

template <unsigned Size, typename Parent = thread_block>
class thread_block_tile : public coalesced_group {
 public:
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads");
  static_assert(Size <= OPWRIGHT_WAVE_SIZE, "a tile larger than a wave is not emulated");

  thread_block_tile() : coalesced_group(lanes()) {}

  unsigned meta_group_rank() const { return thread_block::thread_rank() / Size; }
  unsigned meta_group_size() const { return (thread_block::size() + Size - 1) / Size; }
  unsigned thread_rank() const { return unsigned(::opwright::emulated::lane()) % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }

 private:
  static unsigned long long lanes() {
    const unsigned long long tile = Size == 64 ? ~0ull : (1ull << (Size % 64)) - 1;
    return tile << (unsigned(::opwright::emulated::lane()) / Size * Size);
  }
};

template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

inline coalesced_group coalesced_threads(const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
  return coalesced_group(__activemask(file, line));
}

template <typename Group>
void sync(const Group& group, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  group.sync(file, line);
}

template <typename T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

// Every member gets the combination of all, in the order of a butterfly.
template <typename Group, typename T, typename F>
T reduce(const Group& group, T value, F f) {
  for (unsigned step = group.size() / 2; step; step /= 2)
    value = f(value, group.shfl_xor(value, step));
  return value;
}

struct grid_group {
  __attribute__((error("a barrier of the whole grid is not emulated"))) void sync() const;
};
inline grid_group this_grid() { return {}; }

}  // namespace cooperative_groups
