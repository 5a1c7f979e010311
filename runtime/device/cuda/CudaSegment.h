//===- CudaSegment.h - a segment as an executable graph -----------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_CUDA_CUDASEGMENT_H
#define GRAPHC_RUNTIME_DEVICE_CUDA_CUDASEGMENT_H

#include "runtime/device/SegmentDependencies.h"
#include "runtime/device/cuda/CudaContext.h"

#include <functional>
#include <vector>

namespace graphc::device::cuda {

/// Nodes for launches and copies, and edges where one comes after another; what libraries launch is
/// captured. Made by prepare(), launched by run(). The driver orders a launch behind earlier ones
/// of the same graph, and does not let moves reach those.
class CudaSegment final : public QueueSegment {
public:
  explicit CudaSegment(GpuPtr gpu) : gpu_(std::move(gpu)) {}
  ~CudaSegment() override;

  uint32_t copy(uint32_t queue, CopyDirection way, void *to, const void *from,
                uint64_t bytes) override;
  void launch(uint32_t queue, const DeviceCode &code, uint32_t kernel,
              std::span<void *const> buffers) override;
  void call(uint32_t queue, kernels::LibraryKernel &kernel,
            std::span<void *const> buffers) override;
  uint32_t signal(uint32_t queue) override { return order_.signal(queue); }
  void after(uint32_t queue, uint32_t signal) override { order_.after(queue, signal); }
  absl::Status prepare() override;
  void move(uint32_t copy, void *to, const void *from) override;

  absl::Status run(Stream stream);

private:
  /// A kernel's launches, a copy, or what is captured.
  struct Work {
    std::vector<uint32_t> after; ///< other work
    std::span<const KernelLaunch> launches = {};
    std::vector<void *> buffers = {}; ///< of the kernel
    CopyDirection way = CopyDirection::Within;
    void *to = nullptr;
    const void *from = nullptr;
    uint64_t bytes = 0;
    std::function<absl::Status(Stream)> captured = {};
    GraphNode last = nullptr; ///< what comes after it comes after this node
  };
  absl::Status addKernel(Work &work, std::vector<GraphNode> after);
  absl::Status addCaptured(Work &work, const std::vector<GraphNode> &after);
  CopyNode paramsOf(const Work &copy) const;

  GpuPtr gpu_;
  SegmentDependencies order_;
  std::vector<Work> all_;
  std::vector<uint32_t> copies_; ///< of `all_`
  Graph graph_ = nullptr; ///< kept: moves name its nodes
  GraphExec executable_ = nullptr;
  absl::Status failure_;
};

} // namespace graphc::device::cuda
#endif
