#include "runtime/device/cuda/CudaSegment.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/cuda/CublasMatmul.h"

namespace graphc::device::cuda {

CudaSegment::~CudaSegment() {
  gpu_->enter();
  if (executable_)
    gpu_->driver.graphExecDestroy(executable_);
  if (graph_)
    gpu_->driver.graphDestroy(graph_);
}

uint32_t CudaSegment::copy(uint32_t queue, CopyDirection way, void *to, const void *from,
                           uint64_t bytes) {
  copies_.push_back(uint32_t(all_.size()));
  Work &work = all_.emplace_back(Work{order_.add(queue)});
  work.way = way;
  work.to = to;
  work.from = from;
  work.bytes = bytes;
  return uint32_t(copies_.size() - 1);
}

void CudaSegment::launch(uint32_t queue, const DeviceCode &code, uint32_t kernel,
                         std::span<void *const> buffers) {
  Work &work = all_.emplace_back(Work{order_.add(queue)});
  work.launches = static_cast<const CudaKernels &>(code).launches(kernel);
  work.buffers.assign(buffers.begin(), buffers.end());
}

/// What a library gives the stream becomes a graph within this one.
void CudaSegment::call(uint32_t queue, kernels::LibraryKernel &kernel,
                       std::span<void *const> buffers) {
  auto &product = static_cast<StreamKernel &>(kernel);
  all_.emplace_back(Work{order_.add(queue)}).captured =
      [&product, operands = std::vector<void *>(buffers.begin(), buffers.end())](Stream stream) {
        return product.enqueue(stream, operands.data());
      };
}

CopyNode CudaSegment::paramsOf(const Work &copy) const {
  auto end = [&](bool host, const void *at) {
    CopyNode::End end{};
    end.kind = host ? CopyNode::Host : CopyNode::Device;
    if (host)
      end.host = at;
    else
      end.device = Address(reinterpret_cast<uintptr_t>(at));
    end.pitch = copy.bytes;
    return end;
  };
  return {end(copy.way == CopyDirection::In, copy.from),
          end(copy.way == CopyDirection::Out, copy.to), copy.bytes, 1, 1};
}

absl::Status CudaSegment::addKernel(Work &work, std::vector<GraphNode> after) {
  std::vector<void *> params; // the address of each argument's value
  for (void *&buffer : work.buffers)
    params.push_back(&buffer);
  for (const KernelLaunch &launch : work.launches) {
    const KernelNode node{launch.function, launch.blocks, 1,       1,      launch.threads, 1, 1, 0,
                          params.data(),   nullptr,       nullptr, nullptr};
    GRAPHC_RETURN_IF_ERROR(gpu_->check(
        gpu_->driver.graphAddKernelNode(&work.last, graph_, after.data(), after.size(), &node),
        "cuGraphAddKernelNode", launch.name));
    after = {work.last};
  }
  return absl::OkStatus();
}

absl::Status CudaSegment::addCaptured(Work &work, const std::vector<GraphNode> &after) {
  Stream stream = nullptr;
  Graph child = nullptr;
  GRAPHC_RETURN_IF_ERROR(
      gpu_->check(gpu_->driver.streamCreate(&stream, kNonBlockingStream), "cuStreamCreate"));
  absl::Status status =
      gpu_->check(gpu_->driver.streamBeginCapture(stream, kCapturesThread), "cuStreamBeginCapture");
  if (status.ok()) {
    status = work.captured(stream);
    // also where the library failed
    const Result ended = gpu_->driver.streamEndCapture(stream, &child);
    if (status.ok())
      status = gpu_->check(ended, "cuStreamEndCapture");
  }
  if (status.ok())
    status = gpu_->check(
        gpu_->driver.graphAddChildGraphNode(&work.last, graph_, after.data(), after.size(), child),
        "cuGraphAddChildGraphNode");
  if (child)
    gpu_->driver.graphDestroy(child);
  gpu_->driver.streamDestroy(stream);
  return status;
}

absl::Status CudaSegment::prepare() {
  if (graph_)
    return failure_;
  gpu_->enter();
  GRAPHC_RETURN_IF_ERROR(gpu_->check(gpu_->driver.graphCreate(&graph_, 0), "cuGraphCreate"));
  bool works = false;
  for (Work &work : all_) {
    std::vector<GraphNode> after;
    for (uint32_t before : work.after)
      if (GraphNode node = all_[before].last)
        after.push_back(node);
    if (!work.launches.empty()) {
      GRAPHC_RETURN_IF_ERROR(addKernel(work, std::move(after)));
    } else if (work.captured) {
      GRAPHC_RETURN_IF_ERROR(addCaptured(work, after));
    } else if (work.bytes) {
      const CopyNode params = paramsOf(work);
      GRAPHC_RETURN_IF_ERROR(
          gpu_->check(gpu_->driver.graphAddMemcpyNode(&work.last, graph_, after.data(),
                                                      after.size(), &params, gpu_->context),
                      "cuGraphAddMemcpyNode", absl::StrCat("a copy of ", work.bytes, " bytes")));
    }
    works |= work.last != nullptr;
  }
  if (!works)
    return absl::OkStatus();
  return gpu_->check(gpu_->driver.graphInstantiate(&executable_, graph_, 0), "cuGraphInstantiate");
}

void CudaSegment::move(uint32_t copy, void *to, const void *from) {
  Work &work = all_[copies_[copy]];
  if (work.to == to && work.from == from)
    return;
  work.to = to;
  work.from = from;
  if (!executable_ || !work.last || !failure_.ok())
    return;
  const CopyNode params = paramsOf(work);
  gpu_->enter();
  failure_ = gpu_->check(
      gpu_->driver.graphExecMemcpyNodeSetParams(executable_, work.last, &params, gpu_->context),
      "cuGraphExecMemcpyNodeSetParams", absl::StrCat("a copy of ", work.bytes, " bytes"));
}

absl::Status CudaSegment::run(Stream stream) {
  if (!graph_)
    failure_ = prepare();
  if (!failure_.ok() || !executable_)
    return failure_;
  return gpu_->check(gpu_->driver.graphLaunch(executable_, stream), "cuGraphLaunch");
}

} // namespace graphc::device::cuda
