// Kernels that go over the rows of a matrix, and need sums along each row:
//
//   template <typename T>
//   struct RmsNorm {
//     using Element = T;
//     static constexpr bool has_vectors = true;  // beside the row: weight, here
//     opwright::View<const T, 2> input;
//     ...
//     template <typename Row>
//     __device__ void operator()(Row& row) const {
//       const auto x = row.load(input);  // what is used late is asked for early
//       const auto w = row.along(weight);
//       const auto squares = row.sum([](auto v) { return v * v; }, x);
//       row.store(output, [=](auto v, auto w) { return v * scale * w; }, x, w);
//     }
//   };
//   opwright::for_rows(stream, RmsNorm<T>{input, ...}, rows, columns, input.data, output.data);
//
// A row belongs to a wave of threads where it is short, and to a block where it is long. Each
// thread keeps its part of it in registers, so that memory is read once; only of rows that are too
// long for that it is read again. Functions take and return compute_t<T>. Matrices have to be
// contiguous; what follows the sizes are all pointers that have to be aligned for 16 bytes to be
// moved at once.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "device.h"
#include "device_parameters.h"
#include "device_reduce.h"
#include "device_vector.h"
#include "two.h"

namespace opwright {

namespace detail {

// A thread's part of a row: in registers, or still in memory.
template <typename T, int N, int Runs>
struct RowValues {
  Run<T, N> run[Runs];

  OPWRIGHT_DEVICE_INLINE Run<T, N> get(int k, int64_t) const { return run[k]; }
};
template <typename T, int N>
struct RowInMemory {
  const T* row;

  OPWRIGHT_DEVICE_INLINE Run<T, N> get(int, int64_t at) const { return load<N>(row + at); }
};
// Numbers that follow from such parts: computed anew wherever they are used, or kept.
template <typename F, int N>
struct Numbers {
  F at[N];

  OPWRIGHT_DEVICE_INLINE F number(int i) const { return at[i]; }
};
template <typename Compute, int N, int Runs>
struct RowNumbers {
  Numbers<Compute, N> run[Runs];

  OPWRIGHT_DEVICE_INLINE Numbers<Compute, N> get(int k, int64_t) const { return run[k]; }
};
template <typename Compute, int N, typename F, typename Values>
struct RowMapped {
  F f;
  Values values;

  OPWRIGHT_DEVICE_INLINE Numbers<Compute, N> get(int k, int64_t at) const {
    const auto run = values.get(k, at);
    Numbers<Compute, N> numbers;
#pragma unroll
    for (int i = 0; i < N; ++i) numbers.at[i] = f(run.number(i));
    return numbers;
  }
};

OPWRIGHT_DEVICE_INLINE void prefetch(const void* from) {
#if OPWRIGHT_CUDA_ARCH
  asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
#else
  static_cast<void>(from);
#endif
}

// Threads side by side take runs side by side, in groups of so many, and what one of them takes
// next lies behind its group's: places differ by constants then, which cost no instructions.
constexpr int kGroup = 32;

// Where run `k` of a thread's `Runs` stands in the row.
template <int Runs>
OPWRIGHT_DEVICE_INLINE int place_of_run(int thread, int k) {
  return thread / kGroup * (kGroup * Runs) + thread % kGroup + k * kGroup;
}

}  // namespace detail

// A row in the hands of the `blockDim.x` threads that share threadIdx.y, in runs of N elements.
// With Runs a thread has so many at most; without, as many as there are.
template <typename Element, int N, int Runs>
class Row {
 public:
  using Compute = compute_t<Element>;

  int64_t columns;
  int64_t index;
  bool is_stored;
  bool is_cold;                         // vectors beside the row are in no cache yet
  Two<Compute> (*scratch)[kMostWaves];  // two of these, in turns: so sums need one barrier each
  int turn;

  // This thread's elements of the row, and those of a vector that stand in the same columns, for
  // which long rows leave no registers.
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto load(View<T, 2> matrix) const {
    using Value = std::remove_const_t<T>;
    const Value* const row = matrix.data + index * columns;
    if constexpr (Runs > 0) {
      detail::RowValues<Value, N, Runs> values;
      each([&](int k, int64_t at) { values.run[k] = opwright::load<N>(row + at); });
      return values;
    } else {
      return detail::RowInMemory<Value, N>{row};
    }
  }
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto along(View<T, 1> vector) const {
    using Value = std::remove_const_t<T>;
    if constexpr (Runs > 0 && Runs <= kRows.runs) {
      detail::RowValues<Value, N, Runs> values;
      each([&](int k, int64_t at) { values.run[k] = opwright::load<N>(vector.data + at); });
      return values;
    } else {
      return later(vector);
    }
  }

  // f of this thread's elements. It is computed once where there are registers for the results.
  template <typename F, typename Values>
  OPWRIGHT_DEVICE_INLINE auto map(F f, const Values& values) const {
    if constexpr (Runs > 0 && Runs * N * sizeof(Compute) <= kKeptBytes) {
      detail::RowNumbers<Compute, N, Runs> kept;
      each([&](int k, int64_t at) {
        of_run([&](int i, auto number) { kept.run[k].at[i] = f(number); }, values.get(k, at));
      });
      return kept;
    } else {
      return detail::RowMapped<Compute, N, F, Values>{f, values};
    }
  }

  // As along, but read where it is used, from the caches, and in no register meanwhile. What is in
  // no cache yet is asked for.
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto later(View<T, 1> vector) const {
    if (is_cold) each([&](int, int64_t at) { detail::prefetch(vector.data + at); });
    return detail::RowInMemory<std::remove_const_t<T>, N>{vector.data};
  }

  // The sum of f(values...) over the row, whose result may be a Two. All threads have to ask for
  // it.
  template <typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE auto sum(F f, const Values&... values) {
    using Sum = decltype(f(values.get(0, 0).number(0)...));
    return reduce(Sum{}, [](Sum a, Sum b) { return a + b; }, f, values...);
  }

  // `first` and all f(values...) combined.
  template <typename Result, typename Combine, typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE Result reduce(Result first, Combine combine, F f,
                                       const Values&... values) {
    turn ^= 1;
    return detail::reduce_once(fold(first, combine, f, values...),
                               reinterpret_cast<Result*>(scratch[turn]), combine);
  }

  // output(row, column) = f(values...)
  template <typename T, typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE void store(View<T, 2> output, F f, const Values&... values) const {
    if (!is_stored) return;
    T* const row = output.data + index * columns;
    each([&](int k, int64_t at) {
      compute_t<T> numbers[N];
      of_run([&](int i, auto... number) { numbers[i] = f(number...); }, values.get(k, at)...);
      opwright::store(row + at, packed<T>(numbers));
    });
  }

  // Whether this thread is the one to write a result of the whole row.
  OPWRIGHT_DEVICE_INLINE bool is_first() const { return is_stored && threadIdx.x == 0; }

 protected:
  // What map() may keep, beside what a body has loaded.
  static constexpr int kKeptBytes = 64;

  // Calls f(k, column) for each run of this thread: its number, and where it begins.
  template <typename F>
  OPWRIGHT_DEVICE_INLINE void each(F f) const {
    if constexpr (Runs > 0) {
      const int first = detail::place_of_run<Runs>(static_cast<int>(threadIdx.x), 0) * N;
      const int left = static_cast<int>(columns) - first;
      const int64_t start = first;
#pragma unroll
      for (int k = 0; k < Runs; ++k)
        if (k * detail::kGroup * N < left) f(k, start + k * detail::kGroup * N);
    } else {
      for (int64_t at = static_cast<int64_t>(threadIdx.x) * N; at < columns; at += blockDim.x * N)
        f(0, at);
    }
  }
  // Calls f(i, numbers...) for each element of the runs.
  template <typename F, typename... RunsOfAll>
  static OPWRIGHT_DEVICE_INLINE void of_run(F f, const RunsOfAll&... runs) {
#pragma unroll
    for (int i = 0; i < N; ++i) f(i, runs.number(i)...);
  }
  template <typename Result, typename Combine, typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE Result fold(Result result, Combine combine, F f,
                                     const Values&... values) const {
    each([&](int k, int64_t at) {
      of_run([&](int, auto... number) { result = combine(result, f(number...)); },
             values.get(k, at)...);
    });
    return result;
  }
};

namespace detail {

template <int N, int Runs, typename Body>
__global__ void __launch_bounds__(kRows.most_threads)
    rows_kernel(Body body, int64_t rows, int64_t columns) {
  OPWRIGHT_KERNEL_ENTRY(kRows.most_threads)
  using Element = typename Body::Element;
  using Scratch = Two<compute_t<Element>>[2][kMostWaves];
  OPWRIGHT_SHARED(Scratch, scratch);
  Row<Element, N, Runs> row = {};
  row.columns = columns;
  row.scratch = scratch;
  row.is_cold = rows <= kRows.cold_rows;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y; first < rows; first += step) {
    // Threads without a row take the last once more: all of a block have to meet at barriers.
    const int64_t index = first + threadIdx.y;
    row.index = index < rows ? index : rows - 1;
    row.is_stored = index < rows;
    body(row);
  }
}

// A block for rows of so many runs, where a thread takes `each`: whole waves, and several rows of
// them where one row keeps few threads busy.
inline dim3 block_of_rows(int64_t runs, int each, int threads, int most_threads) {
  const int64_t waves = (runs + each * kWholeWave - 1) / (each * kWholeWave);
  const int64_t across = waves * kWholeWave < most_threads ? waves * kWholeWave : most_threads;
  return dim3(static_cast<unsigned>(across),
              static_cast<unsigned>(across < threads ? threads / across : 1));
}

template <int N, int Runs, typename Body>
void launch_rows(Stream stream, Body body, int64_t rows, int64_t columns) {
  const dim3 block =
      block_of_rows(columns / N, Runs > 0 ? Runs : 1, kRows.threads, kRows.most_threads);
  // A grid of AMD's has less than 2^32 threads.
  launch(rows_kernel<N, Runs, Body>, blocks_for(rows, block.y, 1 << 20), block, stream, body, rows,
         columns);
}

// Calls launched(N, Runs) with the constants that suit the rows, for blocks of `threads` at most
// that take `FewRuns` each, up to `few_threads`, or `MostRuns`, or `Elements` single elements.
template <typename T, int FewRuns, int MostRuns, int Elements, typename Launched,
          typename... Pointers>
void with_row_constants(int64_t columns, int few_threads, int threads, Launched launched,
                        Pointers... pointers) {
  constexpr int N = vector_length<T>();
  const std::integral_constant<int, N> vector;
  const std::integral_constant<int, 1> one;
  const std::integral_constant<int, 0> in_memory;
  const std::integral_constant<int, FewRuns> few;
  const std::integral_constant<int, MostRuns> many;
  const std::integral_constant<int, Elements> elements;
  if (columns % N == 0 && (is_aligned(pointers, kVectorBytes) && ...)) {
    if (columns / N <= few_threads * FewRuns) return launched(vector, few);
    if (columns / N <= threads * MostRuns) return launched(vector, many);
    launched(vector, in_memory);
  } else {
    columns <= threads* Elements ? launched(one, elements) : launched(one, in_memory);
  }
}

}  // namespace detail

// body(row) for each of `rows` rows.
template <typename Body, typename... Pointers>
void for_rows(Stream stream, Body body, int64_t rows, int64_t columns, Pointers... pointers) {
  if (rows == 0 || columns == 0) return;
  using Element = typename Body::Element;
  // As many registers of doubles, which take two each.
  constexpr int kElements = kRows.elements * sizeof(float) / sizeof(compute_t<Element>);
  detail::with_row_constants<Element, kRows.runs, kRows.most_runs, kElements>(
      columns, Body::has_vectors ? kRows.most_threads : kRows.threads, kRows.most_threads,
      [&](auto n, auto runs) {
        detail::launch_rows<decltype(n)::value, decltype(runs)::value>(stream, body, rows, columns);
      },
      pointers...);
}

}  // namespace opwright
