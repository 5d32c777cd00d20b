#include <opwright/kernel.h>
#include <opwright/random_block.h>

// residual + dropout(input + bias); an element's place in the tensor decides whether it is dropped.
template <typename T>
void bias_dropout_residual(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                           opwright::View<const T, 2> residual, double p, int64_t seed,
                           opwright::View<T, 2> output) {
  const opwright::Dropout dropout(p, seed);
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    const int64_t first = row * hidden;
    opwright::map_range(
        output.data + first, hidden,
        [dropout](auto x, auto b, auto r, uint32_t bits) {
          return r + dropout.of_drawn(x + b, bits);
        },
        input.data + first, bias.data, residual.data + first,
        opwright::RandomBits{dropout.seed(), first});
  });
}
