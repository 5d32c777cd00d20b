// Kernels that compute every output element from the input elements at the same place:
//
//   template <typename T>
//   struct Swish {  // takes and returns compute_t<T>; its result is rounded once
//     template <typename F>
//     __device__ F operator()(F x) const { return opwright::silu<T>(x); }
//   };
//   opwright::map(stream, output, Swish<T>(), input);
//
// Views have to be contiguous and of equal size, and may begin at any element. An input may be the
// output itself, but may not overlap it otherwise. `map` moves 16 bytes at once, of inputs that are
// not aligned as the output is by two loads; elements one by one only where two outputs differ in
// that. `map_rows` does so where all tensors and rows are aligned, and else moves single elements,
// but for Places, which are worth more together.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_operands.h"
#include "device_parameters.h"

namespace opwright {

namespace detail {

// f of a run of N elements at `at`, and of `Count` such runs: those are all loaded before the first
// is computed, so that many loads are in flight.
template <int N, typename F, typename Output, typename... Inputs>
OPWRIGHT_DEVICE_INLINE void map_run(F& f, int64_t at, int64_t column, Output output,
                                    Inputs... inputs) {
  Loaded<N, Inputs...> loaded;
  loaded.load(at, column, inputs...);
  loaded.settle(at, column, inputs...);
  output.store(at, loaded.results(f));
}
template <int N, int Count, typename F, typename Output, typename... Inputs>
OPWRIGHT_DEVICE_INLINE void map_runs(F& f, const int64_t (&at)[Count],
                                     const int64_t (&column)[Count], Output output,
                                     Inputs... inputs) {
  Loaded<N, Inputs...> loaded[Count];
#pragma unroll
  for (int k = 0; k < Count; ++k) loaded[k].load(at[k], column[k], inputs...);
#pragma unroll
  for (int k = 0; k < Count; ++k) loaded[k].settle(at[k], column[k], inputs...);
#pragma unroll
  for (int k = 0; k < Count; ++k) output.store(at[k], loaded[k].results(f));
}

// N elements at once. The operands begin with the first run, `before` elements into the tensors;
// those, and what is left behind the last run, the first block takes one by one.
template <int N, int Runs, typename F, typename Output, typename... Inputs>
__global__ void map_kernel(F f, int64_t runs, int before, int rest, Output output,
                           Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY()
  const int64_t step = blockDim.x;
  int64_t run = static_cast<int64_t>(blockIdx.x) * step * Runs + threadIdx.x;
  if (run + (Runs - 1) * step < runs) {
    int64_t at[Runs];
    const int64_t column[Runs] = {};
#pragma unroll
    for (int k = 0; k < Runs; ++k) at[k] = (run + k * step) * N;
    map_runs<N>(f, at, column, output, inputs...);
  } else {
#pragma unroll 1
    for (; run < runs; run += step) map_run<N>(f, run * N, 0, output, inputs...);
  }
  if (N > 1 && blockIdx.x == 0 && static_cast<int>(threadIdx.x) < rest) {
    const int edge = static_cast<int>(threadIdx.x) - before;
    map_run<1>(f, edge < 0 ? edge : runs * N + edge, 0, output, inputs...);
  }
}

template <int N, typename F, typename Output, typename... Inputs>
void launch_map(Stream stream, int64_t count, int64_t runs, int64_t before, F f, Output output,
                Inputs... inputs) {
  static_assert(4 * N <= kMap.threads, "the first block takes all edges");
  constexpr int kRuns = runs_in_flight<Inputs...>(kMap.runs);
  const int64_t tile = kMap.threads * kRuns;
  const auto blocks = static_cast<unsigned>((runs + tile - 1) / tile);
  launch(map_kernel<N, kRuns, F, Output, Inputs...>, blocks > 0 ? blocks : 1, kMap.threads, stream,
         f, runs, static_cast<int>(before), static_cast<int>(count - runs * N), output.from(before),
         inputs.from(before)...);
}

// N columns of a row at once, where rows are whole numbers of runs. The threads of a block stand in
// rows over neighbouring columns, and take Rows rows each; blocks are counted through the columns
// first.
template <int N, int Rows, typename F, typename Output, typename... Inputs>
__global__ void map_rows_kernel(F f, int64_t rows, int64_t runs, unsigned blocks_across,
                                Output output, Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY()
  const int64_t run = static_cast<int64_t>(blockIdx.x % blocks_across) * blockDim.x + threadIdx.x;
  const int64_t below = blockDim.y;
  int64_t row = static_cast<int64_t>(blockIdx.x / blocks_across) * below * Rows + threadIdx.y;
  if (run >= runs) return;
  if (row + (Rows - 1) * below < rows) {
    int64_t at[Rows], column[Rows];
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      at[k] = ((row + k * below) * runs + run) * N;
      column[k] = run * N;
    }
    map_runs<N>(f, at, column, output, inputs...);
  } else {
#pragma unroll 1
    for (; row < rows; row += below)
      map_run<N>(f, (row * runs + run) * N, run * N, output, inputs...);
  }
}

template <int N, typename F, typename Output, typename... Inputs>
void launch_map_rows(Stream stream, int64_t rows, int64_t columns, F f, Output output,
                     Inputs... inputs) {
  constexpr int kRows = runs_in_flight<Inputs...>(N > 1 ? kMap.runs : kMap.elements);
  const int64_t runs = columns / N, across = (runs + kMap.threads - 1) / kMap.threads;
  const dim3 block = block_over(runs, kMap.threads);
  const int64_t tile = static_cast<int64_t>(block.y) * kRows;
  const int64_t blocks = across * ((rows + tile - 1) / tile);
  launch(map_rows_kernel<N, kRows, F, Output, Inputs...>, static_cast<unsigned>(blocks), block,
         stream, f, rows, runs, static_cast<unsigned>(across), output, inputs...);
}

// The same for rows of any length, in the runs in which the output is aligned: for inputs that cost
// less in runs than one by one. What is left of a row before and behind those, the first block that
// it has takes one by one.
template <int N, int Rows, typename F, typename Output, typename... Inputs>
__global__ void map_any_rows_kernel(F f, int64_t rows, int64_t columns, unsigned blocks_across,
                                    Output output, Inputs... inputs) {
  OPWRIGHT_KERNEL_ENTRY()
  const unsigned across = blockIdx.x % blocks_across;
  const int64_t first = (static_cast<int64_t>(across) * blockDim.x + threadIdx.x) * N;
  const int64_t row = static_cast<int64_t>(blockIdx.x / blocks_across) * blockDim.y * Rows;
  Loaded<N, Inputs...> loaded[Rows];
  int64_t begin[Rows], column[Rows];
  bool has[Rows];
#pragma unroll
  for (int k = 0; k < Rows; ++k) {
    const int64_t below = row + k * blockDim.y + threadIdx.y;
    begin[k] = below * columns;
    const Inner inner = Inner::of<N>(static_cast<uint64_t>(begin[k]), columns);
    column[k] = inner.begin + first;
    has[k] = below < rows && first < inner.length;
    if (has[k]) loaded[k].load(begin[k] + column[k], column[k], inputs...);
  }
#pragma unroll
  for (int k = 0; k < Rows; ++k) {
    if (!has[k]) continue;
    loaded[k].settle(begin[k] + column[k], column[k], inputs...);
    output.store(begin[k] + column[k], loaded[k].results(f));
  }
  if (across > 0) return;
#pragma unroll 1
  for (int64_t below = row + threadIdx.y; below < rows && below < row + blockDim.y * Rows;
       below += blockDim.y) {
    const Inner inner = Inner::of<N>(static_cast<uint64_t>(below * columns), columns);
#pragma unroll 1
    for (int64_t i = threadIdx.x; i < inner.edges; i += blockDim.x)
      map_run<1>(f, below * columns + inner.edge(i), inner.edge(i), output, inputs...);
  }
}

template <int N, typename F, typename Output, typename... Inputs>
void launch_map_any_rows(Stream stream, int64_t rows, int64_t columns, F f, Output output,
                         Inputs... inputs) {
  constexpr int kRows = runs_in_flight<Inputs...>(kMap.runs);
  const int64_t runs = (columns + N - 1) / N, across = (runs + kMap.threads - 1) / kMap.threads;
  const dim3 block = block_over(runs, kMap.threads);
  const int64_t tile = static_cast<int64_t>(block.y) * kRows;
  const int64_t blocks = across * ((rows + tile - 1) / tile);
  launch(map_any_rows_kernel<N, kRows, F, Output, Inputs...>, static_cast<unsigned>(blocks), block,
         stream, f, rows, columns, static_cast<unsigned>(across), output, inputs...);
}

}  // namespace detail

// output[i] = f(inputs[i]...), for views of one dimension. With two(a, b) as the output, f returns
// a Two.
template <typename Output, typename F, typename... Inputs>
void map(Stream stream, Output output, F f, Inputs... inputs) {
  const auto launched = [=](auto to, auto... from) {
    const int64_t count = detail::shape_of(output).numel();
    if (count == 0) return;
    constexpr int N =
        vector_length<typename decltype(to)::Element, typename decltype(from)::Element...>();
    int64_t head = 0;  // elements in front of the first aligned run
    while (head < N && !to.aligned(head, N)) ++head;
    if (head == N) return detail::launch_map<1>(stream, count, count, 0, f, to, from...);
    if ((from.aligned(head, N) && ...)) {
      const int64_t runs = count > head ? (count - head) / N : 0;
      return detail::launch_map<N>(stream, count, runs, head, f, to, from...);
    }
    const auto inner = detail::Inner::of<N>(static_cast<uint64_t>(N - head), count);
    detail::launch_map<N>(stream, count, inner.length / N, inner.begin, f, to, from.any()...);
  };
  launched(detail::output_of(output), detail::elements_of(inputs)...);
}

// output(i, j) = f(inputs...) of the elements at (i, j) of inputs of two dimensions, at j of those
// of one.
template <typename Output, typename F, typename... Inputs>
void map_rows(Stream stream, Output output, F f, Inputs... inputs) {
  const auto launched = [=](auto to, auto... from) {
    const auto shape = detail::shape_of(output);
    const int64_t rows = shape.size(0), columns = shape.size(1);
    if (rows == 0 || columns == 0) return;
    constexpr int N =
        vector_length<typename decltype(to)::Element, typename decltype(from)::Element...>();
    if (columns % N == 0 && (to.aligned(0, N) && ... && from.aligned(0, N)))
      return detail::launch_map_rows<N>(stream, rows, columns, f, to, from...);
    if constexpr ((decltype(from)::kPlacesShared || ...))
      if (to.aligned(0, N))
        return detail::launch_map_any_rows<N>(stream, rows, columns, f, to, from.any()...);
    detail::launch_map_rows<1>(stream, rows, columns, f, to, from...);
  };
  launched(detail::output_of(output), detail::operand_of(inputs)...);
}

}  // namespace opwright
