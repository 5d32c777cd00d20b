// Launch parameters of the device loops, in one place, to be tuned by measurement.
#pragma once

namespace opwright {

// map and map_rows: threads of a block, and runs that a thread has in flight, over all inputs.
struct MapParameters {
  int threads = 256;
  int runs = 4;
};
constexpr MapParameters kMap;

// map_rows_and_sum: threads of a block, of which `width` stand side by side; runs that a thread has
// in flight; how many blocks share a large matrix, and the fewest rows that one takes, since each
// keeps one or two back; threads of a block of the kernel that adds the sums.
struct ColumnParameters {
  int threads = 256;
  int width = 32;
  int runs = 8;
  int blocks = 512;
  int least_rows = 64;
  int adding_threads = 1024;
};
constexpr ColumnParameters kColumns;

// for_rows: runs of a thread that keeps its part of a row in registers, more of them in long rows,
// and elements where they are taken one by one; threads of a block at least and at most.
// for_rows_and_sum: threads of a block, whose sums are in registers too; how many blocks share the
// rows, and the fewest that one takes.
struct RowParameters {
  int runs = 4;
  int most_runs = 8;
  int elements = 12;
  int threads = 256;
  int most_threads = 512;
#if defined(__HIP_PLATFORM_AMD__)
  int sum_threads = 256;  // blocks of 512 have 128 registers a thread there, too few for the sums
#else
  int sum_threads = 512;
#endif
  int sum_elements = 8;
  int shares = 264;
  int least_rows = 16;
};
constexpr RowParameters kRows;

}  // namespace opwright
