#include "shadow.h"

#include <algorithm>

namespace opwright {
namespace emulated {

void ShadowPage::begin(uint64_t generation) {
  if (generation_ == generation) return;
  generation_ = generation;
  cells_.assign(kBytes >> shift_, Cell{});
}

void ShadowPage::refine(int shift) {
  if (shift >= shift_) return;
  const size_t copies = size_t{1} << (shift_ - shift);
  std::vector<Cell> finer(kBytes >> shift);
  for (size_t i = 0; i < finer.size(); ++i) finer[i] = cells_[i / copies];
  cells_ = std::move(finer);
  shift_ = shift;
}

ShadowPage& Shadow::page(uintptr_t address) {
  const uintptr_t number = address / ShadowPage::kBytes;
  if (number != last_number_) {
    auto& page = pages_[number];
    if (!page) page = std::make_unique<ShadowPage>();
    last_ = page.get();
    last_number_ = number;
  }
  last_->begin(generation_);
  return *last_;
}

}  // namespace emulated
}  // namespace opwright
