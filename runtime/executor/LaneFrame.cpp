#include "runtime/executor/LaneFrame.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/Device.h"

#include "absl/strings/str_cat.h"

namespace graphc::executor {
namespace {

/// The fill at word i: no computed value equals it but by a chance of 2^-64 a word. A multiple of
/// an odd constant, so that filling a large arena costs its memory traffic and no more.
uint64_t patternAt(uint64_t i) { return (i + 1) * 0x9e3779b97f4a7c15; }

} // namespace

/// The arena, which peers may read where a bucket is zero-copy; then the address of each buffer.
/// Messages have none yet: a Receive or Acquire binds them.
absl::StatusOr<std::unique_ptr<LaneFrame>> LaneFrame::create(const LaneProgram &program,
                                                             uint32_t instance,
                                                             VariableStore &variables,
                                                             const FrameOptions &options) {
  std::unique_ptr<LaneFrame> frame(new LaneFrame);
  const plan::Program &source = *program.source;
  uint64_t bytes = (source.arena_bytes() + 63) / 64 * 64;
  uint8_t *start = variables.zeroCopy().arena(program.index, instance);
  if (!start) {
    std::string what = absl::StrCat("arena of ", source.name());
    auto guard =
        options.guardPages ? device::MemoryRegion::Guard::Pages : device::MemoryRegion::Guard::None;
    GRAPHC_ASSIGN_OR_RETURN(
        frame->own_, program.device->allocate(program.runsAhead ? 2 * bytes : bytes,
                                              device::MemorySpace::Host, guard, what.c_str()));
    start = frame->own_.data();
  }
  frame->arena_ = {start, bytes};
  if (source.device_arena_bytes()) {
    GRAPHC_ASSIGN_OR_RETURN(
        frame->deviceArena_,
        program.device->allocate(source.device_arena_bytes(), device::MemorySpace::Device,
                                 device::MemoryRegion::Guard::None,
                                 absl::StrCat("arena of ", source.name()).c_str()));
  }
  if (options.pattern) {
    auto *words = reinterpret_cast<uint64_t *>(frame->arena_.data());
    for (uint64_t i = 0; i < bytes / 8; ++i)
      words[i] = patternAt(i);
    frame->patterned_ = true;
  }
  for (const plan::Buffer &buffer : source.buffers()) {
    void *at = nullptr;
    switch (buffer.storage_case()) {
    case plan::Buffer::kArena:
      at = (buffer.space() == plan::DEVICE ? frame->deviceArena_.data() : frame->arena_.data()) +
           buffer.arena().offset();
      break;
    case plan::Buffer::kVariable:
      at = variables.address(buffer.variable());
      break;
    case plan::Buffer::kConstant:
      if (buffer.space() == plan::HOST)
        at = variables.zeroCopy().constant(buffer.constant());
      if (!at)
        at = (buffer.space() == plan::DEVICE ? program.deviceConstants : program.hostConstants)
                 .at(buffer.constant());
      break;
    default:
      break; // a slot: bound by its Receive or Acquire
    }
    frame->buffers.push_back(at);
  }
  for (uint32_t buffer : program.argumentBuffers)
    frame->arguments.push_back(frame->buffers[buffer]);
  if (program.runsAhead) // its arena is its own: no peer reads there
    for (uint32_t index : program.argumentBuffers) {
      const plan::Buffer &buffer = source.buffers(int(index));
      const bool moves = buffer.has_arena() && buffer.space() == plan::HOST;
      frame->oddArguments.push_back(static_cast<uint8_t *>(frame->buffers[index]) +
                                    (moves ? bytes : 0));
    }
  for (const LibraryUse &use : program.libraryCalls) {
    GRAPHC_ASSIGN_OR_RETURN(
        auto kernel,
        program.device->make(use.call, {use.scratchBytes, options.pool, use.algorithm}));
    frame->libraryKernels.push_back(std::move(kernel));
  }
  if (program.callsInBlocks && options.pool && options.pool->threads() > 1) {
    options.pool->start();
    frame->pool = options.pool;
  }
  for (uint32_t variable : program.lockVariables)
    frame->locks_.push_back(&variables.mutex(variable));
  return frame;
}

uint64_t LaneFrame::bytesTouched() const {
  if (!patterned_)
    return 0;
  const auto *words = reinterpret_cast<const uint64_t *>(arena_.data());
  for (uint64_t i = arena_.size() / 8; i > 0; --i)
    if (uint64_t difference = words[i - 1] ^ patternAt(i - 1))
      return (i - 1) * 8 + 8 - uint64_t(__builtin_clzll(difference)) / 8;
  return 0;
}

} // namespace graphc::executor
