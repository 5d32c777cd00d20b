// torch.accelerator.Graph of this device.
#include <ATen/core/GraphImplInterface.h>

#include <fstream>
#include <map>
#include <memory>
#include <mutex>

#include "capture.h"
#include "device.h"
#include "memory.h"

namespace opwright {
namespace simulated {
namespace {

using at::GraphImplRegistry;
using at::RegistererGraphImplRegistry;

// Pools by the names that graphs share them under, for as long as one of these graphs lives.
class Pools {
 public:
  std::shared_ptr<Pool> named(c10::MempoolId_t name) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<Pool>& known = pools_[name];
    std::shared_ptr<Pool> pool = known.lock();
    if (!pool) known = pool = new_graph_pool();
    return pool;
  }

 private:
  std::mutex mutex_;
  std::map<c10::MempoolId_t, std::weak_ptr<Pool>> pools_;
};

Pools& pools = *new Pools;

class TorchGraph final : public at::GraphImplInterface {
 public:
  explicit TorchGraph(const at::GraphImplArgs&) {}

  void capture_begin(c10::MempoolId_t pool, at::GraphCaptureMode) override {
    stream_ = current_stream(current_device());
    const bool shared = pool != c10::MempoolId_t{0, 0};
    pool_ = shared ? pool : c10::MempoolId_t{reinterpret_cast<uintptr_t>(this), 0};
    begin_capture(stream_, pools.named(pool_));
  }
  void capture_end() override { graph_ = end_capture(stream_); }
  void instantiate() override {}
  void replay() override {
    if (!graph_) throw Error(kInvalidValue, "there is nothing to replay: nothing was captured");
    simulated::replay(*graph_, current_stream(graph_->device));
  }
  void reset() override { graph_.reset(); }
  c10::MempoolId_t pool() const override { return pool_; }
  void enable_debug_mode() override {}
  // The names of what was captured, a line each.
  void debug_dump(const std::string& path) override {
    std::ofstream file(path);
    if (!graph_) return;
    for (const Task& task : graph_->tasks) file << task.name << "\n";
  }

 private:
  Stream* stream_ = nullptr;
  c10::MempoolId_t pool_{0, 0};
  std::unique_ptr<Graph> graph_;
};

// Named as PyTorch names the device after its renaming.
C10_REGISTER_TYPED_CLASS(GraphImplRegistry, "SIMULATED", TorchGraph)

}  // namespace
}  // namespace simulated
}  // namespace opwright
