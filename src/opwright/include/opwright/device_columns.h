// The loop of map_rows with sums down the columns:
//
//   opwright::map_rows_and_sum(stream, grad_input, grad_bias, BiasGeluBackward(), grad_output,
//                              input, bias);
//
// Rows are shared between blocks, which need no memory for that, and results are the same from call
// to call: pairs of blocks add up what each has in its shared memory, on chips that have clusters.
// Where there are none, or pairs would not fill the device, device_shares.h says how.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_cluster.h"
#include "device_map.h"
#include "device_operands.h"
#include "device_parameters.h"
#include "device_shares.h"

namespace opwright {

namespace detail {

template <typename F>
OPWRIGHT_DEVICE_INLINE F summed(F result) {
  return result;
}
template <typename F>
OPWRIGHT_DEVICE_INLINE F summed(Two<F> result) {
  return result.first;
}

template <int N, typename T>
using ColumnScratch = compute_t<T>[kColumns.threads * N];

// A block's threads stand in rows over `blockDim.x` runs of N columns, from run `first` on, and go
// down the rows from `begin` to `end`, of which the first `kept` are not stored. Each sum goes to
// put(place, column, sum), `place` being one in scratch that its thread alone uses from then on.
template <int N, int Rows, typename T, typename F, typename Put, typename Output,
          typename... Inputs>
OPWRIGHT_DEVICE_INLINE void map_share(ColumnScratch<N, T>& scratch, F f, int64_t begin,
                                      int64_t kept, int64_t end, int64_t first, int64_t runs,
                                      Put put, Output output, Inputs... inputs) {
  using Compute = compute_t<T>;
  const int64_t run = first + threadIdx.x, below = blockDim.y;
  Compute own[N] = {};
  const auto add = [&own](const auto& results) {
#pragma unroll
    for (int i = 0; i < N; ++i) own[i] += summed(results.at[i]);
  };
  const auto take = [&](int64_t row, bool is_stored) {
    const int64_t at = (row * runs + run) * N;
    Loaded<N, Inputs...> loaded;
    loaded.load(at, run * N, inputs...);
    const auto results = loaded.results(f);
    if (is_stored) output.store(at, results);
    add(results);
  };
  if (run < runs) {
    int64_t row = begin + kept + threadIdx.y;
    for (; row + (Rows - 1) * below < end; row += Rows * below) {
      Loaded<N, Inputs...> loaded[Rows];
#pragma unroll
      for (int k = 0; k < Rows; ++k)
        loaded[k].load(((row + k * below) * runs + run) * N, run * N, inputs...);
#pragma unroll
      for (int k = 0; k < Rows; ++k) {
        const auto results = loaded[k].results(f);
        output.store(((row + k * below) * runs + run) * N, results);
        add(results);
      }
    }
#pragma unroll 1
    for (; row < end; row += below) take(row, true);
#pragma unroll 1
    for (row = begin + threadIdx.y; row < begin + kept; row += below) take(row, false);
  }
  const int width = static_cast<int>(blockDim.x) * N;
#pragma unroll
  for (int i = 0; i < N; ++i) scratch[threadIdx.y * width + threadIdx.x * N + i] = own[i];
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int i = thread; i < width; i += static_cast<int>(blockDim.x * blockDim.y)) {
    Compute sum = 0;
    for (int y = 0; y < static_cast<int>(below); ++y) sum += scratch[y * width + i];
    put(scratch[i], first * N + i, sum);
  }
}

// A share for each block. Unless it is told that blocks may be alone, nvcc spares registers at the
// cost of loads in flight.
template <int N, int Rows, typename T, typename F, typename Output, typename... Inputs>
__global__ void __launch_bounds__(kColumns.threads, 1)
    map_share_kernel(F f, Shares shares, int64_t runs, unsigned blocks_across, T* kept_rows,
                     T* sums, Output output, Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY()
  using Scratch = ColumnScratch<N, T>;
  OPWRIGHT_SHARED(Scratch, scratch);
  const int64_t share = blockIdx.x / blocks_across, begin = shares.begin(share);
  const int64_t kept = shares.count > 1 ? kPieces<T> : 0, columns = runs * N;
  const auto put = [=](compute_t<T>&, int64_t column, compute_t<T> sum) {
    if (column >= columns) return;
    if (kept > 0) {
      put_sum(kept_rows + begin * columns + column, columns, sum);
    } else {
      sums[column] = narrow<T>(sum);
    }
  };
  const int64_t first = static_cast<int64_t>(blockIdx.x % blocks_across) * blockDim.x;
  map_share<N, Rows, T>(scratch, f, begin, kept, shares.begin(share + 1), first, runs, put, output,
                        inputs...);
}

// A share for each block of a pair, which adds both.
template <int N, int Rows, typename T, typename F, typename Output, typename... Inputs>
__global__ void __launch_bounds__(kColumns.threads, 1)
    map_pair_kernel(F f, Shares shares, int64_t runs, T* sums, Output output, Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY()
  using Scratch = ColumnScratch<N, T>;
  OPWRIGHT_SHARED(Scratch, scratch);
  const int rank = static_cast<int>(blockIdx.x % 2);
  const int64_t first = static_cast<int64_t>(blockIdx.x / 2) * blockDim.x;
  const auto put = [](compute_t<T>& place, int64_t, compute_t<T> sum) { place = sum; };
  map_share<N, Rows, T>(scratch, f, shares.begin(rank), 0, shares.begin(rank + 1), first, runs, put,
                        output, inputs...);
  cluster_barrier();
  const int width = static_cast<int>(blockDim.x) * N;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int i = 2 * thread + rank; i < width; i += 2 * static_cast<int>(blockDim.x * blockDim.y)) {
    const int64_t column = first * N + i;
    if (column >= runs * N) break;
    sums[column] = narrow<T>(read_of(0, &scratch[i]) + read_of(1, &scratch[i]));
  }
  cluster_barrier();
}

// Adds the sums of the shares, and then computes the rows that were kept back, a thread a run.
template <int N, typename T, typename F, typename Output, typename... Inputs>
__global__ void __launch_bounds__(kColumns.adding_threads)
    finish_shares_kernel(F f, Shares shares, int64_t runs, const T* kept_rows, T* sums,
                         Output output, Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY(kColumns.adding_threads)
  OPWRIGHT_SHARED(LineSums<T>, scratch);
  add_shares(shares, runs * N, kept_rows, 0, sums, scratch);
  constexpr int kRuns = kLineColumns<T> / N, kRows = kColumns.adding_threads / kRuns;
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t run = static_cast<int64_t>(blockIdx.x) * kRuns + thread % kRuns;
  if (run >= runs) return;
  for (int64_t i = thread / kRuns; i < shares.count * kPieces<T>; i += kRows) {
    const int64_t row = shares.begin(i / kPieces<T>) + i % kPieces<T>;
    map_run<N>(f, (row * runs + run) * N, run * N, output, inputs...);
  }
}

// How blocks share a matrix of so many runs across.
struct SharedColumns {
  dim3 block, grid;
  unsigned across;
  Shares shares;

  SharedColumns(int64_t rows, int64_t runs) {
    const int64_t width = runs < kColumns.width ? runs : kColumns.width;
    const int64_t count = (runs + width - 1) / width;
    block = dim3(static_cast<unsigned>(width), static_cast<unsigned>(kColumns.threads / width));
    across = static_cast<unsigned>(count);
    shares = shares_of(rows, resident_blocks(kColumns.blocks) / count, kColumns.least_rows);
    grid = dim3(static_cast<unsigned>(count * shares.count));
  }
};

// The same by pairs of blocks, each with some of the runs: 0 pairs where no width, of whole lines
// of memory, has them fill the device. (Of larger clusters a chip does not run as many blocks: an
// H200 with its 132 multiprocessors 124 blocks in fours, and 120 in eights.)
struct PairedColumns {
  unsigned pairs = 0;
  dim3 block;
  Shares shares;

  PairedColumns(int64_t rows, int64_t runs) : shares(shares_of(rows, 2, kColumns.least_rows)) {
    const int64_t most = resident_blocks(kColumns.blocks) / 2;
    for (int64_t width = kColumns.width; width >= kColumns.least_width; width /= 2) {
      const int64_t across = (runs + width - 1) / width;
      if (shares.count < 2 || across > most || across * 10 < most * 9) continue;
      pairs = static_cast<unsigned>(across);
      block = dim3(static_cast<unsigned>(width), static_cast<unsigned>(kColumns.threads / width));
    }
  }
};

template <int N, typename T, typename F, typename Output, typename... Inputs>
void launch_map_and_sum(Stream stream, int64_t rows, int64_t columns, T* first, T* sums, F f,
                        Output output, Inputs... inputs) {
  constexpr int kRows = runs_in_flight<Inputs...>(kColumns.runs);
  const int64_t runs = columns / N;
  if constexpr (kHasClusters) {
    const auto paired = map_pair_kernel<N, kRows, T, F, Output, Inputs...>;
    const PairedColumns over(rows, runs);
    if (over.pairs > 0 && runs_in_clusters(paired))
      return launch_in_clusters(paired, over.pairs, 2, over.block, stream, f, over.shares, runs,
                                sums, output, inputs...);
  }
  const SharedColumns over(rows, runs);
  launch(map_share_kernel<N, kRows, T, F, Output, Inputs...>, over.grid, over.block, stream, f,
         over.shares, runs, over.across, first, sums, output, inputs...);
  if (over.shares.count == 1) return;
  launch(finish_shares_kernel<N, T, F, Output, Inputs...>, lines_of<T>(columns),
         kColumns.adding_threads, stream, f, over.shares, runs, first, sums, output, inputs...);
}

// An output that nothing is written to.
struct Nowhere {
  template <int N, typename R>
  OPWRIGHT_DEVICE_INLINE void store(int64_t, const Results<R, N>&) const {}
};
struct Same {
  template <typename F>
  OPWRIGHT_DEVICE_INLINE F operator()(F x) const {
    return x;
  }
};

template <int N, typename T>
void launch_sum(Stream stream, int64_t rows, int64_t columns, T* sums, Elements<T> input,
                T* scratch) {
  const SharedColumns over(rows, columns / N);
  launch(map_share_kernel<N, kColumns.runs, T, Same, Nowhere, Elements<T>>, over.grid, over.block,
         stream, Same(), over.shares, columns / N, over.across, scratch, sums, Nowhere(), input);
  if (over.shares.count == 1) return;
  launch(add_shares_kernel<1, T>, lines_of<T>(columns), kColumns.adding_threads, stream,
         over.shares, columns, scratch, Two<T*>{sums, sums});
}

}  // namespace detail

// sums(j) is the sum of input(i, j) over the rows. `scratch` is a matrix of the same size that is
// written later on.
template <typename T>
void sum_columns(Stream stream, View<T, 1> sums, View<const T, 2> input, View<T, 2> scratch) {
  const int64_t rows = input.size(0), columns = input.size(1);
  if (columns == 0) return;
  constexpr int N = vector_length<T>();
  const detail::Elements<T> elements{input.data};
  if (columns % N == 0 && elements.aligned(0, N))
    return detail::launch_sum<N>(stream, rows, columns, sums.data, elements, scratch.data);
  detail::launch_sum<1>(stream, rows, columns, sums.data, elements, scratch.data);
}

// As map_rows; and sums(j) is the sum of f's result over the rows i, of its first where f returns
// a Two. The output may be none of the inputs.
template <typename Output, typename T, typename F, typename... Inputs>
void map_rows_and_sum(Stream stream, Output output, View<T, 1> sums, F f, Inputs... inputs) {
  const auto launched = [=](auto to, auto... from) {
    const auto shape = detail::shape_of(output);
    const int64_t rows = shape.size(0), columns = shape.size(1);
    if (columns == 0) return;
    constexpr int N =
        vector_length<typename decltype(to)::Element, typename decltype(from)::Element...>();
    if (columns % N == 0 && (to.aligned(0, N) && ... && from.aligned(0, N))) {
      detail::launch_map_and_sum<N>(stream, rows, columns, shape.data, sums.data, f, to, from...);
    } else {
      detail::launch_map_and_sum<1>(stream, rows, columns, shape.data, sums.data, f, to, from...);
    }
  };
  launched(detail::output_of(output), detail::operand_of(inputs)...);
}

}  // namespace opwright
