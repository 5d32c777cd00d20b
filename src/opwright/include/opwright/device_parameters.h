// Launch parameters of the device loops, in one place, to be tuned by measurement.
#pragma once

namespace opwright {

// map and map_rows: threads of a block, and runs that a thread has in flight, over all inputs, or
// elements where they are moved one by one.
struct MapParameters {
  int threads = 128;
  int runs = 2;
  int elements = 8;
};
constexpr MapParameters kMap;

// map_rows_and_sum: threads of a block, of which `width` stand side by side, in pairs of blocks
// down to `least_width`; how many blocks a multiprocessor has of those that share a large matrix,
// and the fewest rows that one takes, since each keeps one or two back; runs that a thread has in
// flight; threads of a block of the kernel that adds the sums.
struct ColumnParameters {
#if defined(__HIP_PLATFORM_AMD__)
  int threads = 256;
  int blocks = 4;
#else
  int threads = 1024;
  int blocks = 1;
#endif
  int width = 32;
  int least_width = 8;
  int runs = 2;
  int least_rows = 64;
  int adding_threads = 1024;
};
constexpr ColumnParameters kColumns;

// for_rows: runs of a thread that keeps its part of a row in registers, in blocks of `threads` at
// least and `most_threads` at most (`few_threads` where there is no vector beside the row, so that
// a body may keep what it computes); more of them in long rows, in the same blocks, or still more
// in blocks of `keeping_threads` where a body keeps as much as it loads; elements where they are
// taken one by one. Bytes of what is computed that are kept else. So many rows at most are spread
// over as many threads as can be, and the vectors beside them asked for early. On AMD's chips
// larger blocks leave each thread too few registers.
struct RowParameters {
  int runs = 4;
  int long_runs = 8;
  int keeping_runs = 16;
  int elements = 16;
  int kept_bytes = 64;
  int few_rows = 512;
  int threads = 128;
#if defined(__HIP_PLATFORM_AMD__)
  int few_threads = 256;
  int keeping_threads = 256;
  int most_threads = 256;
#else
  int few_threads = 512;
  int keeping_threads = 512;
  int most_threads = 1024;
#endif
};
constexpr RowParameters kRows;

// for_rows_and_sum: likewise, where a thread has sums in registers as well; how many blocks of a
// multiprocessor share the rows, and the fewest rows that one takes.
struct RowSumParameters {
  int elements = 8;
  int threads = 256;
  int blocks = 2;
  int least_rows = 16;
#if defined(__HIP_PLATFORM_AMD__)
  int most_runs = 4;
  int most_threads = 256;
#else
  int most_runs = 8;
  int most_threads = 512;
#endif
};
constexpr RowSumParameters kRowSums;

}  // namespace opwright
