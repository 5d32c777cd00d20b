// torch.accelerator.Graph of this device.
#include <ATen/core/GraphImplInterface.h>

#include <fstream>
#include <memory>

#include "capture.h"
#include "device.h"
#include "memory.h"

namespace opwright {
namespace simulated {
namespace {

using at::GraphImplRegistry;
using at::RegistererGraphImplRegistry;

class TorchGraph final : public at::GraphImplInterface {
 public:
  explicit TorchGraph(const at::GraphImplArgs&) {}

  void capture_begin(c10::MempoolId_t, at::GraphCaptureMode) override {
    stream_ = current_stream(current_device());
    begin_capture(stream_, new_graph_pool());
  }
  void capture_end() override { graph_ = end_capture(stream_); }
  void instantiate() override {}
  void replay() override {
    if (!graph_) throw Error(kInvalidValue, "there is nothing to replay: nothing was captured");
    simulated::replay(*graph_, current_stream(graph_->device));
  }
  void reset() override { graph_.reset(); }
  c10::MempoolId_t pool() const override { return {reinterpret_cast<uintptr_t>(this), 0}; }
  void enable_debug_mode() override {}
  // The names of what was captured, a line each.
  void debug_dump(const std::string& path) override {
    std::ofstream file(path);
    if (!graph_) return;
    for (const Task& task : graph_->tasks) file << task.name << "\n";
  }

 private:
  Stream* stream_ = nullptr;
  std::unique_ptr<Graph> graph_;
};

// Named as PyTorch names the device after its renaming.
C10_REGISTER_TYPED_CLASS(GraphImplRegistry, "SIMULATED", TorchGraph)

}  // namespace
}  // namespace simulated
}  // namespace opwright
