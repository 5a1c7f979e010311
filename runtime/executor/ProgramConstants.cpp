#include "runtime/executor/ProgramConstants.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/MemoryRequirements.h"
#include "runtime/executor/ZeroCopySource.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphc::executor {

absl::Status ProgramConstants::fill(const plan::Plan &plan, const plan::Program &program,
                                    plan::Space space, device::Device &device) {
  places_.resize(size_t(plan.constants_size()));
  std::set<uint32_t> zeroCopy; // the host's alone are
  if (space == plan::HOST)
    zeroCopy = sentZeroCopyBy(plan, program).constants;
  std::map<uint32_t, uint64_t> sizes = plan::constantSizes(program, space);
  std::erase_if(sizes, [&](const auto &one) { return zeroCopy.contains(one.first); });
  if (sizes.empty())
    return absl::OkStatus();
  auto padded = [](uint64_t size) { return (size + 63) / 64 * 64; };
  uint64_t bytes = 0;
  for (auto [index, size] : sizes)
    bytes = std::min(bytes + padded(size), kTooManyBytes);
  auto allocate = [&](device::MemorySpace in) {
    return device.allocate(bytes + 64, in, device::MemoryRegion::Guard::None,
                           "constants of a program");
  };
  const bool isHosts = space == plan::HOST;
  device::MemoryRegion staging; // of the host, for what it cannot write itself
  GRAPHC_ASSIGN_OR_RETURN(
      memory_, allocate(isHosts ? device::MemorySpace::Host : device::MemorySpace::Device));
  if (!isHosts) {
    GRAPHC_ASSIGN_OR_RETURN(staging, allocate(device::MemorySpace::Host));
  }
  uint8_t *filled = (isHosts ? memory_ : staging).data();
  uint64_t offset = 0;
  for (auto [index, size] : sizes) {
    fillConstant(plan.constants(int(index)), filled + offset, size);
    places_[index] = memory_.data() + offset;
    offset += padded(size);
  }
  if (isHosts)
    return absl::OkStatus();
  const device::CopyPiece piece{memory_.data(), staging.data(), bytes};
  return device::copyAll(device, {&piece, 1});
}

} // namespace graphc::executor
