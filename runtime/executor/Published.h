//===- Published.h - what one task's peers read in place ---------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_PUBLISHED_H
#define GRAPHC_RUNTIME_EXECUTOR_PUBLISHED_H

#include "runtime/device/Memory.h"
#include "runtime/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <map>
#include <set>

namespace graphc::executor {

/// Variables and constants, by their index in the plan.
struct PublishedValues {
  std::set<uint32_t> variables, constants;
};
/// What the program sends on published channels.
PublishedValues publishedBy(const plan::Plan &plan, const plan::Program &program);

/// The variables and constants that the programs of one task send on published channels, in one shared memory. The
/// constants hold their values from the start.
class PublishedMemory {
public:
  static absl::StatusOr<PublishedMemory> create(const plan::Plan &plan, const plan::Task &task);

  /// Null for one that is not published.
  uint8_t *variable(uint32_t index) const { return find(variables, index); }
  uint8_t *constant(uint32_t index) const { return find(constants, index); }
  /// What peers map; size() is 0 where the task publishes nothing.
  const device::Memory &memory() const { return shared; }

private:
  using Places = std::map<uint32_t, uint64_t>; // index → offset
  uint8_t *find(const Places &places, uint32_t index) const {
    auto place = places.find(index);
    return place == places.end() ? nullptr : shared.data() + place->second;
  }
  device::Memory shared;
  Places variables, constants;
};

} // namespace graphc::executor
#endif
