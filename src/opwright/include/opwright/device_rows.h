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
// moved at once. Other rows are moved element by element.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "device.h"
#include "device_ahead.h"
#include "device_parameters.h"
#include "device_reduce.h"
#include "device_row_values.h"
#include "device_vector.h"
#include "two.h"

namespace opwright {

namespace detail {

OPWRIGHT_DEVICE_INLINE void prefetch(const void* from) {
#if OPWRIGHT_CUDA_ARCH
  asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
#else
  static_cast<void>(from);
#endif
}

}  // namespace detail

// A row in the hands of the `blockDim.x` threads that share threadIdx.y, in runs of N elements.
// With Runs a thread has so many at most; without, as many as there are. With Fetches the first
// matrix that a body loads is asked for one row ahead.
template <typename Element, int N, int Runs, bool Fetches = false>
class Row {
 public:
  using Compute = compute_t<Element>;
  // Whether loaded rows are in registers. Otherwise each use reads them again.
  static constexpr bool has_registers = Runs > 0;

  int64_t columns;
  int64_t index;
  int64_t next;       // the row behind this one, or -1
  bool is_asked_for;  // this row, by the one before
  bool is_loaded;     // and by the body
  bool is_stored;
  bool is_cold;                         // vectors beside the row are in no cache yet
  Two<Compute> (*scratch)[kMostWaves];  // two of these, in turns: so sums need one barrier each
  int turn;

  // This thread's elements of the row, and those of a vector that stand in the same columns, for
  // which long rows leave no registers.
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto load(View<T, 2> matrix) {
    if constexpr (Fetches && std::is_same<std::remove_const_t<T>, Element>::value) {
      if (!is_loaded) return fetched(matrix);
    }
    return held<(Runs > 0)>(matrix.data + index * columns);
  }
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto along(View<T, 1> vector) const {
    if constexpr (Runs > 0 && Runs * N <= kRows.runs * vector_length<Element>()) {
      return held<true>(vector.data);
    } else {
      return later(vector);
    }
  }

  // As along, but read where it is used, from the caches, and in no register meanwhile. What is in
  // no cache yet is asked for.
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto later(View<T, 1> vector) const {
    if (is_cold) each([&](RunOfRow place) { detail::prefetch(vector.data + place.at); });
    return held<false>(vector.data);
  }

  // f of this thread's elements. It is computed once where there are registers for the results:
  // where they take the place of what was loaded, or are few.
  template <typename F, typename Values>
  OPWRIGHT_DEVICE_INLINE auto map(F f, const Values& values) const {
    constexpr bool kReplaces = sizeof(Compute) == sizeof(Element) || N == 1;
    if constexpr (Runs > 0 && (kReplaces || Runs * N * sizeof(Compute) <= kRows.kept_bytes)) {
      detail::RowNumbers<Compute, N, Runs> kept;
      each([&](RunOfRow place) {
        of_run([&](int i, auto number) { kept.run[place.k].at[i] = f(number); }, values.get(place));
      });
      return kept;
    } else {
      return detail::RowMapped<Compute, N, F, Values>{f, values};
    }
  }

  // The sum of f(values...) over the row, whose result may be a Two. All threads have to ask for
  // it.
  template <typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE auto sum(F f, const Values&... values) {
    using Sum = decltype(f(values.get(RunOfRow{}).number(0)...));
    return reduce(Sum{}, [](Sum a, Sum b) { return a + b; }, f, values...);
  }

  // `first` and all f(values...) combined.
  template <typename Result, typename Combine, typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE Result reduce(Result first, Combine combine, F f,
                                       const Values&... values) {
    const auto with = [=](Result result, auto... numbers) {
      return combine(result, f(numbers...));
    };
    return accumulate(first, with, combine, values...);
  }

  // As reduce, where with(result, values...) is what a thread makes of its result and the next.
  template <typename Result, typename With, typename Combine, typename... Values>
  OPWRIGHT_DEVICE_INLINE Result accumulate(Result first, With with, Combine combine,
                                           const Values&... values) {
    Result result = first;
    each([&](RunOfRow place) {
      of_run([&](int, auto... numbers) { result = with(result, numbers...); },
             values.get(place)...);
    });
    turn ^= 1;
    return detail::reduce_once(result, reinterpret_cast<Result*>(scratch[turn]), combine);
  }

  // output(row, column) = f(values...)
  template <typename T, typename F, typename... Values>
  OPWRIGHT_DEVICE_INLINE void store(View<T, 2> output, F f, const Values&... values) const {
    if (!is_stored) return;
    T* const row = output.data + index * columns;
    // What was read last may still be in the caches.
    each<true>([&](RunOfRow place) {
      compute_t<T> numbers[N];
      of_run([&](int i, auto... number) { numbers[i] = f(number...); }, values.get(place)...);
      opwright::store(row + place.at, packed<T>(numbers));
    });
  }

  // Whether this thread is the one to write a result of the whole row.
  OPWRIGHT_DEVICE_INLINE bool is_first() const { return is_stored && threadIdx.x == 0; }

 protected:
  using RunOfRow = detail::RunOfRow;

  // Calls f(place) for each run of this thread. Those in memory may be taken in reverse.
  template <bool Reverse = false, typename F>
  OPWRIGHT_DEVICE_INLINE void each(F f) const {
    if constexpr (Runs > 0) {
      const int first = detail::place_of_run<Runs>(static_cast<int>(threadIdx.x), 0) * N;
      const int left = static_cast<int>(columns) - first;
      const int64_t start = first;
      // Single elements are many, and most threads have all of theirs: those ask once.
      if (N == 1 && (Runs - 1) * detail::kGroup < left) {
#pragma unroll
        for (int k = 0; k < Runs; ++k) f(RunOfRow{k, start + k * detail::kGroup * N});
        return;
      }
#pragma unroll
      for (int k = 0; k < Runs; ++k)
        if (k * detail::kGroup * N < left) f(RunOfRow{k, start + k * detail::kGroup * N});
    } else {
      const int64_t step = static_cast<int64_t>(blockDim.x) * N;
      const int64_t first = static_cast<int64_t>(threadIdx.x) * N;
      const int64_t last = first + (columns - first - N + step) / step * step - step;
      if constexpr (Reverse) {
#pragma unroll 1
        for (int64_t at = last; at >= 0; at -= step) f(RunOfRow{0, at});
      } else {
        for (int64_t at = first; at <= last; at += step) f(RunOfRow{0, at});
      }
    }
  }

  // Calls f(i, numbers...) for each element of the runs.
  template <typename F, typename... RunsOfAll>
  static OPWRIGHT_DEVICE_INLINE void of_run(F f, const RunsOfAll&... runs) {
#pragma unroll
    for (int i = 0; i < N; ++i) f(i, runs.number(i)...);
  }

 private:
  // This row, which was asked for, and asks for the next.
  template <typename T>
  OPWRIGHT_DEVICE_INLINE auto fetched(View<T, 2> matrix) {
    const detail::Ahead<Element, N> ahead;
    const auto ask = [&](int64_t row) {
      each([&](RunOfRow place) { ahead.ask(place.k, matrix.data + row * columns + place.at); });
    };
    if (!is_asked_for) ask(index);
    ahead.wait();
    detail::RowValues<Element, N, Runs> values;
    each([&](RunOfRow place) { values.run[place.k] = ahead.get(place.k); });
    if (next >= 0) ask(next);
    is_loaded = true;
    return values;
  }
  // The elements of this thread, in registers or where they are.
  template <bool InRegisters, typename T>
  OPWRIGHT_DEVICE_INLINE auto held(T* from) const {
    using Value = std::remove_const_t<T>;
    if constexpr (InRegisters) {
      detail::RowValues<Value, N, Runs> values;
      each([&](RunOfRow place) { values.run[place.k] = opwright::load<N>(from + place.at); });
      return values;
    } else {
      return detail::RowInMemory<Value, N>{from};
    }
  }
};

namespace detail {

// Unless it is told that blocks may be alone, nvcc spares registers, and spills; but where rows
// stay in memory a second block reads while the first one waits.
template <int N, int Runs, int Threads, bool Fetches, typename Body>
__global__ void __launch_bounds__(Threads, Runs > 0 ? 1 : 2)
    rows_kernel(Body body, int64_t rows, int64_t columns) {
  OPWRIGHT_KERNEL_ENTRY(Threads)
  using Element = typename Body::Element;
  using Scratch = Two<compute_t<Element>>[2][kMostWaves];
  OPWRIGHT_SHARED(Scratch, scratch);
  Row<Element, N, Runs, Fetches> row = {};
  row.columns = columns;
  row.scratch = scratch;
  row.is_cold = rows <= kRows.few_rows;
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y; first < rows; first += step) {
    // Threads without a row take the last once more: all of a block have to meet at barriers.
    const int64_t index = first + threadIdx.y;
    row.index = index < rows ? index : rows - 1;
    row.is_stored = index < rows;
    row.next = index + step < rows ? index + step : -1;
    row.is_loaded = false;
    body(row);
    row.is_asked_for = true;
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

// Whether a body keeps as much as it loads: it has the registers that others use for a vector.
template <typename Body>
constexpr bool kKeeps = !Body::has_vectors && sizeof(typename Body::Element) >= sizeof(float);

template <int N, int Runs, typename Body>
void launch_rows(Stream stream, Body body, int64_t rows, int64_t columns) {
  constexpr bool kIsKeeping = kKeeps<Body> && N > 1 && Runs > kRows.runs;
  constexpr int kThreads = kIsKeeping ? kRows.keeping_threads : kRows.most_threads;
  const dim3 block = block_of_rows(columns / N, Runs > 0 ? Runs : 1, kRows.threads, kThreads);
  if constexpr (OPWRIGHT_FETCHES_AHEAD && N > 1 && Runs >= kRows.runs && !kIsKeeping) {
    // A row that takes all registers of a multiprocessor is alone there: the next one is read
    // meanwhile.
    const auto kernel = rows_kernel<N, Runs, kThreads, true, Body>;
    const int64_t blocks = resident_blocks(1);
    const size_t shared_bytes = size_t{Runs} * block.x * kVectorBytes;
    if (block.x > kThreads / 2 && rows > 2 * blocks && allows_shared(kernel, shared_bytes))
      return launch_with_shared(kernel, static_cast<unsigned>(blocks), block, shared_bytes, stream,
                                body, rows, columns);
  }
  // A grid of AMD's has less than 2^32 threads.
  launch(rows_kernel<N, Runs, kThreads, false, Body>, blocks_for(rows, block.y, 1 << 20), block,
         stream, body, rows, columns);
}

// Calls launched(N, Runs) with the constants that suit aligned rows, for blocks that take `FewRuns`
// a thread with `few_threads` at most, or `MostRuns` with `threads`; or rows that are not aligned,
// whose threads take up to `Elements` one by one.
template <typename T, int FewRuns, int MostRuns, typename Launched>
void with_runs(int64_t columns, int few_threads, int threads, Launched launched) {
  constexpr int N = vector_length<T>();
  const std::integral_constant<int, N> vector;
  if (columns / N <= few_threads * FewRuns)
    return launched(vector, std::integral_constant<int, FewRuns>());
  if (columns / N <= threads * MostRuns)
    return launched(vector, std::integral_constant<int, MostRuns>());
  launched(vector, std::integral_constant<int, 0>());
}
template <int Elements, typename Launched>
void with_elements(int64_t columns, int threads, Launched launched) {
  const std::integral_constant<int, 1> one;
  if (columns <= threads * Elements) return launched(one, std::integral_constant<int, Elements>());
  launched(one, std::integral_constant<int, 0>());
}

}  // namespace detail

// body(row) for each of `rows` rows.
template <typename Body, typename... Pointers>
void for_rows(Stream stream, Body body, int64_t rows, int64_t columns, Pointers... pointers) {
  if (rows == 0 || columns == 0) return;
  using Element = typename Body::Element;
  constexpr int N = vector_length<Element>();
  // As many registers of doubles, which take two each.
  constexpr int kElements = kRows.elements * sizeof(float) / sizeof(compute_t<Element>);
  const auto launched = [&](auto n, auto runs) {
    detail::launch_rows<decltype(n)::value, decltype(runs)::value>(stream, body, rows, columns);
  };
  if (columns % N != 0 || !(is_aligned(pointers, N * sizeof(*pointers)) && ...))
    return detail::with_elements<kElements>(columns, kRows.most_threads, launched);
  if (rows <= kRows.few_rows && columns / N <= kRows.most_threads)
    return detail::launch_rows<N, 1>(stream, body, rows, columns);
  constexpr bool kKeeps = detail::kKeeps<Body>;
  detail::with_runs<Element, kRows.runs, kKeeps ? kRows.keeping_runs : kRows.long_runs>(
      columns, Body::has_vectors ? kRows.most_threads : kRows.few_threads,
      kKeeps ? kRows.keeping_threads : kRows.most_threads, launched);
}

}  // namespace opwright
