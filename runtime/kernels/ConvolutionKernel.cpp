#include "runtime/kernels/ConvolutionKernel.h"

#include "runtime/common/base/OpCount.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/kernels/OnednnLoader.h"
#include "runtime/kernels/WinogradConvolution.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace graphc::kernels {
namespace {

uint64_t aligned(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// One block's kernel: ours where the shape has one, else the library's.
class BlockKernel {
public:
  BlockKernel() = default;
  BlockKernel(BlockKernel &&other) noexcept
      : winograd_(other.winograd_), api_(other.api_),
        kernel_(std::exchange(other.kernel_, nullptr)) {}
  ~BlockKernel() {
    if (kernel_)
      api_->destroyConvolution(kernel_);
  }
  absl::Status make(const GraphcConvolutionDesc &desc, uint64_t &filterBytes,
                    uint64_t &scratchBytes) {
    if (winogradServes(desc)) {
      winograd_.emplace(desc);
      filterBytes = winograd_->filterBytes();
      scratchBytes = winograd_->scratchBytes();
      return absl::OkStatus();
    }
    if (!onednn().ok())
      return onednn().status();
    char message[256] = "";
    api_ = *onednn();
    if (api_->createConvolution(&desc, &kernel_, &filterBytes, &scratchBytes, message,
                                sizeof message) != 0)
      return absl::InternalError(absl::StrCat("convolution: ", message));
    return absl::OkStatus();
  }
  int run(void *const *buffers) const {
    if (!winograd_)
      return api_->runConvolution(kernel_, buffers);
    winograd_->run(buffers);
    return 0;
  }
  std::string algorithm() const {
    return absl::StrCat(kCpuAlgorithm,
                        winograd_ ? "tiles of 4x4" : api_->implementationOfConvolution(kernel_));
  }
  int reorderFilter(void *from, void *to) const {
    if (!winograd_)
      return api_->reorderFilter(kernel_, from, to);
    winograd_->reorderFilter(from, to);
    return 0;
  }

private:
  std::optional<WinogradConvolution> winograd_;
  const GraphcOnednnApi *api_ = nullptr;
  void *kernel_ = nullptr;
};

uint64_t bytesOf(int64_t features, const int64_t *places, const GraphcConvolutionDesc &d) {
  int64_t elements = features;
  for (int64_t i = 0; i < d.space; ++i)
    elements *= places[i];
  return uint64_t(elements) * 4;
}

class ConvolutionKernel final : public LibraryKernel {
public:
  absl::Status make(const GraphcConvolutionDesc &whole, ThreadPool *with) {
    desc_ = whole;
    desc_.batch /= convolutionBlocks(whole);
    blocks_.resize(convolutionBlocks(whole));
    pool_ = with && with->threads() > 1 && blocks_.size() > 1 ? with : nullptr;
    // On one thread a block's memory objects serve them all, one behind the other.
    for (size_t i = 0; i < (pool_ ? blocks_.size() : 1); ++i)
      GRAPHC_RETURN_IF_ERROR(blocks_[i].make(desc_, filterBytes_, blockScratchBytes_));
    filterBytes_ = aligned(filterBytes_);
    blockScratchBytes_ = aligned(blockScratchBytes_);
    if (pool_) {
      own_ = std::make_unique<Bytes>(blockScratchBytes_ * blocks_.size());
      pool_->start();
    }
    return absl::OkStatus();
  }

  /// The filter in the order of the blocks' kernel, or each block's part of its gradient; then a
  /// block's own.
  uint64_t scratchBytes() const { return filtersBytes() + blockScratchBytes_; }
  std::string algorithm() const override { return blocks_[0].algorithm(); }
  uint32_t parts() const override { return pool_ ? uint32_t(blocks_.size()) : 1; }

  int run(void *const *buffers) override {
    // In the module's order: input, filter, result.
    constexpr int places[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
    const int *at = places[desc_.kind];
    auto *input = static_cast<uint8_t *>(buffers[at[0]]),
         *filter = static_cast<uint8_t *>(buffers[3]),
         *result = static_cast<uint8_t *>(buffers[at[2]]);
    if (desc_.kind != GRAPHC_CONVOLUTION_FILTER)
      if (int code = blocks_[0].reorderFilter(buffers[at[1]], filter))
        return code;
    if (int code = runParts(pool_, uint32_t(blocks_.size()),
                            [&](uint32_t index) { return runBlock(index, input, filter, result); }))
      return code;
    if (desc_.kind != GRAPHC_CONVOLUTION_FILTER)
      return 0;
    auto *sum = reinterpret_cast<float *>(filter);
    for (size_t block = 1; block < blocks_.size(); ++block) {
      const auto *more = reinterpret_cast<const float *>(filter + block * filterBytes_);
      for (uint64_t i = 0; i < filterBytes_ / 4; ++i)
        sum[i] += more[i];
    }
    return blocks_[0].reorderFilter(filter, buffers[at[1]]);
  }

private:
  uint64_t filtersBytes() const {
    return filterBytes_ * (desc_.kind == GRAPHC_CONVOLUTION_FILTER ? blocks_.size() : 1);
  }

  int runBlock(uint32_t index, uint8_t *input, uint8_t *filters, uint8_t *result) const {
    uint8_t *filter =
        filters + (desc_.kind == GRAPHC_CONVOLUTION_FILTER ? index * filterBytes_ : 0);
    uint8_t *scratch = pool_ ? own_->data + index * blockScratchBytes_ : filters + filtersBytes();
    void *buffers[] = {
        input + index * bytesOf(desc_.batch * desc_.inputs, desc_.input, desc_), filter,
        result + index * bytesOf(desc_.batch * desc_.outputs, desc_.result, desc_), scratch};
    return blocks_[pool_ ? index : 0].run(buffers);
  }

  GraphcConvolutionDesc desc_; ///< of a block
  std::vector<BlockKernel> blocks_; ///< without a pool only the first is made
  uint64_t filterBytes_ = 0, blockScratchBytes_ = 0;
  std::unique_ptr<Bytes> own_; ///< with a pool: each block's scratch memory
  ThreadPool *pool_ = nullptr;
};

absl::StatusOr<std::unique_ptr<ConvolutionKernel>> makeKernel(const GraphcConvolutionDesc &desc,
                                                              ThreadPool *pool) {
  auto made = std::make_unique<ConvolutionKernel>();
  GRAPHC_RETURN_IF_ERROR(made->make(desc, pool));
  return made;
}

} // namespace

uint64_t multiplyAdds(const GraphcConvolutionDesc &d) {
  uint64_t count =
      base::multiplyOps({uint64_t(d.batch), uint64_t(d.outputs), uint64_t(d.inputs / d.groups)});
  for (int64_t i = 0; i < d.space; ++i)
    count = base::multiplyOps({count, uint64_t(d.result[i]), uint64_t(d.window[i])});
  return count;
}

uint32_t convolutionBlocks(const GraphcConvolutionDesc &d) {
  // Some 30 microseconds of a core, of which a wake-up costs two or three; enough blocks that
  // threads end together.
  constexpr uint64_t leastWork = 4 << 20;
  constexpr int64_t most = 8;
  uint64_t filter = uint64_t(d.outputs) * uint64_t(d.inputs / d.groups);
  for (int64_t i = 0; i < d.space; ++i)
    filter *= uint64_t(d.window[i]);
  // A block's part of a filter's gradient is added to the others'.
  const uint64_t work = std::max(leastWork, d.kind == GRAPHC_CONVOLUTION_FILTER ? filter * 64 : 0);
  for (int64_t count = std::min(most, d.batch); count > 1; --count)
    if (d.batch % count == 0 && multiplyAdds(d) / uint64_t(count) >= work)
      return uint32_t(count);
  return 1;
}

absl::StatusOr<uint64_t> convolutionScratchBytes(const GraphcConvolutionDesc &desc) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ConvolutionKernel> kernel, makeKernel(desc, nullptr));
  return kernel->scratchBytes();
}

absl::StatusOr<std::unique_ptr<LibraryKernel>>
makeConvolution(const GraphcConvolutionDesc &desc, uint64_t scratchBytes, ThreadPool *pool) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ConvolutionKernel> kernel, makeKernel(desc, pool));
  GRAPHC_RETURN_IF_ERROR(checkScratch("convolution", kernel->scratchBytes(), scratchBytes));
  return kernel;
}

} // namespace graphc::kernels
