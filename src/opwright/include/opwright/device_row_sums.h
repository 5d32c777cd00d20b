// The loop of for_rows where a body also adds to sums down the columns:
//
//   row.add([=](auto g, auto v) { return g * v * scale; }, g, x);  // of the type that is its Sum
//   opwright::for_rows_and_sum(stream, body, grad_input, grad_weight, grad_output.data, ...);
//
// Rows are shared between blocks, as device_shares.h says: no memory is needed, and results are the
// same from call to call. A body stores into one matrix, grad_input here.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_rows.h"
#include "device_shares.h"

namespace opwright {

namespace detail {

// How many sums there are of each column, and sum `i` of them.
template <typename T>
struct CountOf {
  static constexpr int value = 1;
};
template <typename F>
struct CountOf<Two<F>> {
  static constexpr int value = 2;
};
template <typename F>
OPWRIGHT_DEVICE_INLINE F part(F sum, int) {
  return sum;
}
template <typename F>
OPWRIGHT_DEVICE_INLINE F part(Two<F> sum, int i) {
  return i == 0 ? sum.first : sum.second;
}

// A row whose thread adds up what all rows of a share have in its own columns. Where rows are too
// long for registers, those are columns of one panel alone, which begins at `panel`.
template <typename Element, int N, int Runs, typename Sum>
class SummedRow : public Row<Element, N, Runs> {
 public:
  static constexpr int kOwn = Runs > 0 ? Runs : N > 1 ? kRows.runs : kRowSums.elements;

  int64_t panel;
  bool is_added;
  Sum own[kOwn][N];

  template <typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE void add(F f, const Values&... values) {
    if (!is_added) return;
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
      if (column(k) < this->columns)
        this->of_run([&](int i, auto... number) { own[k][i] = own[k][i] + f(number...); },
                     values.get(RunOfRow{k, column(k)})...);
  }

  // Where the run begins that is this thread's own number k.
  OPWRIGHT_DEVICE_INLINE int64_t column(int k) const {
    return panel + static_cast<int64_t>(place_of_run<kOwn>(static_cast<int>(threadIdx.x), k)) * N;
  }

  // Calls put(i, column, sum) for sum `i` of each column, over all rows of threads.
  template <typename Scratch, typename Put>
  OPWRIGHT_DEVICE_INLINE void finish(Scratch& scratch, Put put) const {
    const int across = static_cast<int>(blockDim.x) * N, x = static_cast<int>(threadIdx.x) * N;
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
#pragma unroll
    for (int k = 0; k < kOwn; ++k) {
#pragma unroll
      for (int of = 0; of < CountOf<Sum>::value; ++of) {
#pragma unroll
        for (int i = 0; i < N; ++i) scratch[threadIdx.y * across + x + i] = part(own[k][i], of);
        __syncthreads();
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); i < across;
             i += threads) {
          const int64_t column = panel + place_of_run<kOwn>(i / N, k) * N + i % N;
          if (column >= this->columns) continue;
          auto sum = scratch[i];
#pragma unroll 1
          for (int y = 1; y < static_cast<int>(blockDim.y); ++y) sum += scratch[y * across + i];
          put(of, column, sum);
        }
        __syncthreads();
      }
    }
  }
};

// The rows of a share: all of them, whose first `kept` are not stored but left for sums; or, to
// finish, those alone.
template <int N, int Runs, typename Body>
__global__ void __launch_bounds__(kRowSums.most_threads)
    share_of_rows_kernel(Body body, Shares shares, int64_t columns, unsigned panels, bool finishes,
                         typename Body::Element* output, Two<typename Body::Element*> sums) {
  OPWRIGHT_KERNEL_ENTRY(kRowSums.most_threads)
  using T = typename Body::Element;
  using Compute = compute_t<T>;
  using Scratch = Two<Compute>[2][kMostWaves];
  using ColumnScratch = Compute[kRowSums.most_threads * N];
  OPWRIGHT_SHARED(Scratch, scratch);
  OPWRIGHT_SHARED(ColumnScratch, column_scratch);
  constexpr int kSums = CountOf<typename Body::Sum>::value;
  const int kept = shares.count > 1 ? kSums * kPieces<T> : 0;
  const unsigned panel = blockIdx.x % panels;
  const int64_t share = blockIdx.x / panels, begin = shares.begin(share), below = blockDim.y;
  const int64_t end = finishes ? begin + kept : shares.begin(share + 1);
  SummedRow<T, N, Runs, typename Body::Sum> row = {};
  row.columns = columns;
  row.scratch = scratch;
  row.panel = static_cast<int64_t>(panel) * row.kOwn * blockDim.x * N;
  // What is kept back comes last, so that the caches have it for the kernels that follow.
  for (int64_t i = (end - begin + below - 1) / below - 1; i >= 0; --i) {
    const int64_t index = begin + i * below + threadIdx.y;
    row.index = index < end ? index : end - 1;
    row.is_stored = index < end && panel == 0 && (finishes || index >= begin + kept);
    row.is_added = index < end && !finishes;
    body(row);
  }
  if (finishes) return;
  row.finish(column_scratch, [=](int of, int64_t column, Compute sum) {
    if (kept > 0) {
      put_sum(output + (begin + of * kPieces<T>)*columns + column, columns, sum);
    } else {
      (of == 0 ? sums.first : sums.second)[column] = narrow<T>(sum);
    }
  });
}

template <int N, int Runs, typename Body, typename T>
void launch_rows_and_sum(Stream stream, Body body, int64_t rows, int64_t columns, T* output,
                         Two<T*> sums) {
  constexpr int kOwn = SummedRow<T, N, Runs, typename Body::Sum>::kOwn;
  const dim3 block = block_of_rows(columns / N, kOwn, kRowSums.threads, kRowSums.most_threads);
  const int64_t panel = static_cast<int64_t>(kOwn) * block.x * N;
  const auto panels = static_cast<unsigned>((columns + panel - 1) / panel);
  const Shares shares = shares_of(rows, resident_blocks(kRowSums.blocks), kRowSums.least_rows);
  const auto blocks = static_cast<unsigned>(shares.count);
  const auto kernel = share_of_rows_kernel<N, Runs, Body>;
  launch(kernel, blocks * panels, block, stream, body, shares, columns, panels, false, output,
         sums);
  if (shares.count == 1) return;
  launch(add_shares_kernel<CountOf<typename Body::Sum>::value, T>, lines_of<T>(columns),
         kColumns.adding_threads, stream, shares, columns, output, sums);
  launch(kernel, blocks, block, stream, body, shares, columns, 1u, true, output, sums);
}

}  // namespace detail

// body(row) for each of `rows` rows; sums(column) is the sum over the rows of what body adds there,
// and with two(a, b) as the sums a body adds a Two. `output` is where it stores; inputs may not be.
template <typename Body, typename T, typename... Pointers>
void for_rows_and_sum(Stream stream, Body body, View<T, 2> output, Two<View<T, 1>> sums,
                      Pointers... pointers) {
  const int64_t rows = output.size(0), columns = output.size(1);
  if (columns == 0) return;
  const auto launched = [&](auto n, auto runs) {
    detail::launch_rows_and_sum<decltype(n)::value, decltype(runs)::value>(
        stream, body, rows, columns, output.data, Two<T*>{sums.first.data, sums.second.data});
  };
  constexpr int kThreads = kRowSums.most_threads;
  if (columns % vector_length<T>() != 0 || !is_aligned(output.data, kVectorBytes) ||
      !(is_aligned(pointers, kVectorBytes) && ...))
    return detail::with_elements<kRowSums.elements>(columns, kThreads, launched);
  detail::with_runs<T, kRows.runs, kRowSums.most_runs>(columns, kThreads, kThreads, launched);
}
template <typename Body, typename T, typename... Pointers>
void for_rows_and_sum(Stream stream, Body body, View<T, 2> output, View<T, 1> sums,
                      Pointers... pointers) {
  for_rows_and_sum(stream, body, output, two(sums, sums), pointers...);
}

}  // namespace opwright
