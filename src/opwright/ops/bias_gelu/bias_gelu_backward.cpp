#include <opwright/kernel.h>

#include <cstring>

// Columns whose sums a thread keeps at once.
constexpr int64_t kColumns = 64;

// grad_output * slope(input + bias) for each element, and its sum over the rows for each column. A
// thread has some columns to itself, goes down all rows, and adds in double: the sum may be long.
template <typename T, typename Slope>
static void bias_gelu_gradients(opwright::View<const T, 2> grad_output,
                                opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                                opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                                Slope slope) {
  const int64_t rows = input.size(0), hidden = input.size(1);
  const int64_t strips = (hidden + kColumns - 1) / kColumns;
  const int64_t grain = 1 + opwright::kElementwiseGrain / (kColumns * (rows + 1));
  opwright::parallel_for(0, strips, grain, [&](int64_t begin, int64_t end) {
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t first = strip * kColumns;
      const int64_t count = hidden - first < kColumns ? hidden - first : kColumns;
      double sums[kColumns] = {};
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = first; j < first + count; ++j) {
          const auto x = opwright::widen(input(i, j)) + opwright::widen(bias(j));
          const auto gradient = opwright::widen(grad_output(i, j)) * slope(x);
          grad_input(i, j) = opwright::narrow<T>(gradient);
          sums[j - first] += gradient;
        }
      }
      for (int64_t j = 0; j < count; ++j)
        grad_bias(first + j) = opwright::narrow<T>(static_cast<opwright::compute_t<T>>(sums[j]));
    }
  });
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                        opwright::View<const T, 1> bias, const char* approximate,
                        opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias) {
  if (std::strcmp(approximate, "tanh") == 0) {
    bias_gelu_gradients(grad_output, input, bias, grad_input, grad_bias,
                        [](auto x) { return opwright::gelu_tanh_slope(x); });
  } else if (std::strcmp(approximate, "none") == 0) {
    bias_gelu_gradients(grad_output, input, bias, grad_input, grad_bias,
                        [](auto x) { return opwright::gelu_erf_slope(x); });
  } else {
    throw opwright::KernelError("bias_gelu_backward: approximate has to be \"tanh\" or \"none\"");
  }
}
