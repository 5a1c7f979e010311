#include "runtime/kernels/Convolution.h"

#include "runtime/common/base/Status.h"
#include "runtime/kernels/Onednn.h"
#include "runtime/kernels/Winograd.h"

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
      : winograd(other.winograd), api(other.api), kernel(std::exchange(other.kernel, nullptr)) {}
  ~BlockKernel() {
    if (kernel)
      api->destroyConvolution(kernel);
  }
  absl::Status make(const GraphcConvolutionDesc &desc, uint64_t &filterBytes, uint64_t &scratchBytes) {
    if (winogradServes(desc)) {
      winograd.emplace(desc);
      filterBytes = winograd->filterBytes();
      scratchBytes = winograd->scratchBytes();
      return absl::OkStatus();
    }
    if (!onednn().ok())
      return onednn().status();
    char message[256] = "";
    api = *onednn();
    if (api->createConvolution(&desc, &kernel, &filterBytes, &scratchBytes, message, sizeof message) != 0)
      return absl::InternalError(absl::StrCat("convolution: ", message));
    return absl::OkStatus();
  }
  int run(void *const *buffers) const {
    if (!winograd)
      return api->runConvolution(kernel, buffers);
    winograd->run(buffers);
    return 0;
  }
  std::string algorithm() const {
    return absl::StrCat(kCpuAlgorithm, winograd ? "tiles of 4x4" : api->implementationOfConvolution(kernel));
  }
  int reorderFilter(void *from, void *to) const {
    if (!winograd)
      return api->reorderFilter(kernel, from, to);
    winograd->reorderFilter(from, to);
    return 0;
  }

private:
  std::optional<WinogradConvolution> winograd;
  const GraphcOnednnApi *api = nullptr;
  void *kernel = nullptr;
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
    desc = whole;
    desc.batch /= convolutionBlocks(whole);
    blocks.resize(convolutionBlocks(whole));
    pool = with && with->threads() > 1 && blocks.size() > 1 ? with : nullptr;
    // On one thread a block's memory objects serve them all, one behind the other.
    for (size_t i = 0; i < (pool ? blocks.size() : 1); ++i)
      GRAPHC_RETURN_IF_ERROR(blocks[i].make(desc, filterBytes, blockScratchBytes));
    filterBytes = aligned(filterBytes);
    blockScratchBytes = aligned(blockScratchBytes);
    if (pool) {
      own = std::make_unique<Bytes>(blockScratchBytes * blocks.size());
      pool->start();
    }
    return absl::OkStatus();
  }

  /// The filter in the order of the blocks' kernel, or each block's part of its gradient; then a block's own.
  uint64_t scratchBytes() const { return filtersBytes() + blockScratchBytes; }
  std::string algorithm() const override { return blocks[0].algorithm(); }
  uint32_t parts() const override { return pool ? uint32_t(blocks.size()) : 1; }

  int run(void *const *buffers) override {
    // In the module's order: input, filter, result.
    constexpr int places[3][3] = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}};
    const int *at = places[desc.kind];
    auto *input = static_cast<uint8_t *>(buffers[at[0]]), *filter = static_cast<uint8_t *>(buffers[3]),
         *result = static_cast<uint8_t *>(buffers[at[2]]);
    if (desc.kind != GRAPHC_CONVOLUTION_FILTER)
      if (int code = blocks[0].reorderFilter(buffers[at[1]], filter))
        return code;
    if (int code = runParts(pool, uint32_t(blocks.size()),
                            [&](uint32_t index) { return runBlock(index, input, filter, result); }))
      return code;
    if (desc.kind != GRAPHC_CONVOLUTION_FILTER)
      return 0;
    auto *sum = reinterpret_cast<float *>(filter);
    for (size_t block = 1; block < blocks.size(); ++block) {
      const auto *more = reinterpret_cast<const float *>(filter + block * filterBytes);
      for (uint64_t i = 0; i < filterBytes / 4; ++i)
        sum[i] += more[i];
    }
    return blocks[0].reorderFilter(filter, buffers[at[1]]);
  }

private:
  uint64_t filtersBytes() const { return filterBytes * (desc.kind == GRAPHC_CONVOLUTION_FILTER ? blocks.size() : 1); }

  int runBlock(uint32_t index, uint8_t *input, uint8_t *filters, uint8_t *result) const {
    uint8_t *filter = filters + (desc.kind == GRAPHC_CONVOLUTION_FILTER ? index * filterBytes : 0);
    uint8_t *scratch = pool ? own->data + index * blockScratchBytes : filters + filtersBytes();
    void *buffers[] = {input + index * bytesOf(desc.batch * desc.inputs, desc.input, desc), filter,
                       result + index * bytesOf(desc.batch * desc.outputs, desc.result, desc), scratch};
    return blocks[pool ? index : 0].run(buffers);
  }

  GraphcConvolutionDesc desc; ///< of a block
  std::vector<BlockKernel> blocks; ///< without a pool only the first is made
  uint64_t filterBytes = 0, blockScratchBytes = 0;
  std::unique_ptr<Bytes> own; ///< with a pool: each block's scratch memory
  ThreadPool *pool = nullptr;
};

absl::StatusOr<std::unique_ptr<ConvolutionKernel>> makeKernel(const GraphcConvolutionDesc &desc, ThreadPool *pool) {
  auto made = std::make_unique<ConvolutionKernel>();
  GRAPHC_RETURN_IF_ERROR(made->make(desc, pool));
  return made;
}

} // namespace

uint64_t multiplyAdds(const GraphcConvolutionDesc &d) {
  uint64_t count = uint64_t(d.batch) * uint64_t(d.outputs) * uint64_t(d.inputs / d.groups);
  for (int64_t i = 0; i < d.space; ++i)
    count *= uint64_t(d.result[i]) * uint64_t(d.window[i]);
  return count;
}

uint32_t convolutionBlocks(const GraphcConvolutionDesc &d) {
  // Some 30 microseconds of a core, of which a wake-up costs two or three; enough blocks that threads end together.
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

absl::StatusOr<std::unique_ptr<LibraryKernel>> makeConvolution(const GraphcConvolutionDesc &desc, uint64_t scratchBytes,
                                                               ThreadPool *pool) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<ConvolutionKernel> kernel, makeKernel(desc, pool));
  GRAPHC_RETURN_IF_ERROR(checkScratch("convolution", kernel->scratchBytes(), scratchBytes));
  return kernel;
}

} // namespace graphc::kernels
