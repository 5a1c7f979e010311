//===- VariableStore.h - the variables that one task owns ---------------------------*- C++ -*-===//
//
// Owned by the session. While a phase runs its lanes use the values as the plan says; between
// phases the session does.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_EXECUTOR_VARIABLESTORE_H
#define GRAPHC_RUNTIME_EXECUTOR_VARIABLESTORE_H

#include "runtime/common/base/Mutex.h"
#include "runtime/common/plan/plan.pb.h"
#include "runtime/device/Device.h"
#include "runtime/executor/ZeroCopySource.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace graphc::executor {

/// Writes the initial value of `variable` to `data`. A function of the plan alone: Philox keyed by
/// the initializer's seed and the name of the model's variable, counted by its elements, so that
/// owner, parts and partitioning do not matter.
void initializeVariable(const plan::Variable &variable, std::span<uint8_t> data);

class VariableStore {
public:
  /// Allocates, zeroed and 64-byte aligned, every variable of `plan` that `task` stores (it owns it
  /// or has a mirror of it), those that it sends zero-copy in memory that its peers can map. Keeps
  /// a pointer to `plan`.
  static absl::StatusOr<std::unique_ptr<VariableStore>> create(const plan::Plan &plan,
                                                               const plan::Task &task);

  /// Every variable its initial value.
  void initialize();

  /// Indices into Plan.variables, ascending: of all that are here, and of those that this task
  /// saves.
  const std::vector<uint32_t> &stored() const { return indices_; }
  const std::vector<uint32_t> &owned() const { return owners_; }
  /// crc32c of all mirrors, equal on every replica; nothing where there is none.
  std::optional<uint32_t> mirrorsCrc() const;
  bool owns(uint32_t variable) const {
    return variable < entries_.size() && entries_[variable] != nullptr;
  }
  /// Where the variable is to its program's device: to the host a name, where that device has
  /// memory of its own.
  void *address(uint32_t variable) const { return entries_[variable]->address; }
  /// Between phases: the values of variables in a device's own memory, as data() has them, go there
  /// or come from there. Nothing where there are none.
  absl::Status toDevices() const;
  absl::Status fromDevices() const;
  /// The value's bytes; of a variable in a device's own memory what the last fromDevices() brought.
  /// `variable` must be stored.
  std::span<uint8_t> data(uint32_t variable) {
    return {entries_[variable]->data, entries_[variable]->bytes};
  }
  std::span<const uint8_t> data(uint32_t variable) const {
    return {entries_[variable]->data, entries_[variable]->bytes};
  }
  /// What this task's peers read in place: some of its variables, and constants of its programs.
  const ZeroCopySource &zeroCopy() const { return zeroCopyMemory_; }
  /// Held by a lane of a locks_variables program while one instruction touches the variable;
  /// several are taken in ascending order of index. Take it to read a value while such a phase
  /// runs.
  base::Mutex &mutex(uint32_t variable) { return entries_[variable]->mutex; }
  /// The stored global_step's value, or null.
  int64_t *globalStep();

private:
  absl::Status copyDevices(bool to) const;
  struct Entry {
    device::MemoryRegion memory; // none where the value is in the zero-copy memory
    device::MemoryRegion staging; // of the host, where `memory` is the device's own
    device::Device *device = nullptr;
    void *address = nullptr;
    uint8_t *data = nullptr;
    uint64_t bytes = 0;
    base::Mutex mutex;
  };
  const plan::Plan *plan_ = nullptr;
  std::vector<std::unique_ptr<Entry>> entries_; // one a plan variable; null: another task's
  std::vector<uint32_t> indices_, owners_;
  ZeroCopySource zeroCopyMemory_;
};

} // namespace graphc::executor
#endif
