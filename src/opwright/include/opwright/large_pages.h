// Memory that is new to the process comes page by page, at its first write. Of large outputs that
// takes longer than most kernels: the kernel of the operating system is asked for larger pages.
#pragma once

#include <stdint.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace opwright {

// To be called before `size_bytes` at `data` are written. PyTorch's allocator can do the same
// (THP_MEM_ALLOC_ENABLE=1). It is a hint: where it is not taken, nothing changes.
inline void want_large_pages(void* data, int64_t size_bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPageBytes = 2 << 20;
  constexpr int64_t kLeastBytes = 4 << 20;
  if (size_bytes < kLeastBytes) return;
  // Whole pages of this memory alone.
  const auto at = reinterpret_cast<uintptr_t>(data);
  const uintptr_t begin = (at + kPageBytes - 1) & ~(kPageBytes - 1);
  const uintptr_t end = (at + static_cast<uintptr_t>(size_bytes)) & ~(kPageBytes - 1);
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  static_cast<void>(data);
  static_cast<void>(size_bytes);
#endif
}

}  // namespace opwright
