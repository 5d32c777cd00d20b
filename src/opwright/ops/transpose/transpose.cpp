#include <opwright/kernel.h>

#include <algorithm>

// In tiles: a column of the input is read as long as its cache lines are there.
template <typename T>
void transpose(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  constexpr int64_t kTile = 32;
  const int64_t rows = input.size(0), columns = input.size(1);
  const int64_t across = (columns + kTile - 1) / kTile, down = (rows + kTile - 1) / kTile;
  opwright::parallel_for(0, across * down, 16, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t top = tile / across * kTile, left = tile % across * kTile;
      const int64_t bottom = std::min(top + kTile, rows), right = std::min(left + kTile, columns);
      for (int64_t column = left; column < right; ++column)
        for (int64_t row = top; row < bottom; ++row)
          output.data[column * rows + row] = input.data[row * columns + column];
    }
  });
}
