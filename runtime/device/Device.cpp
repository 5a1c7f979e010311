#include "runtime/device/Device.h"

#include "runtime/common/base/Mutex.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/device/DeviceKinds.h"
#include "runtime/device/CpuDevice.h"
#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/kernels/KernelRegistry.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <atomic>
#include <map>

namespace graphc::device {
namespace {

class Registry {
public:
  Registry() {
    factories_.emplace(hostKind().name, makeCpu);
    for (const DeviceKind &kind : kinds())
      if (kind.code == CodeFormat::Ptx)
        factories_.emplace(kind.name, makeCuda);
  }

  void add(std::string_view kind, DeviceFactory make) {
    base::MutexLock lock(mutex_);
    factories_.insert_or_assign(std::string(kind), std::move(make));
  }

  absl::StatusOr<Device *> find(const std::string &name) {
    base::MutexLock lock(mutex_);
    std::unique_ptr<Device> &device = devices_[name];
    if (!device) {
      auto factory = factories_.find(kindOf(name));
      if (factory == factories_.end()) {
        std::string known;
        for (const auto &[kind, make] : factories_)
          absl::StrAppend(&known, known.empty() ? "" : ", ", kind);
        return absl::NotFoundError(
            absl::StrCat("the plan has work for the device ", name, "; this program runs ", known));
      }
      GRAPHC_ASSIGN_OR_RETURN(device, factory->second(name));
      base::MutexLock lock(madeMutex_);
      made_.push_back(device.get());
    }
    return device.get();
  }

  /// Not held up by a device that is being made.
  void wakeAll() {
    wakes.fetch_add(1);
    std::vector<Device *> all;
    {
      base::MutexLock lock(madeMutex_);
      all = made_;
    }
    for (Device *device : all)
      device->wake();
  }
  std::atomic<uint64_t> wakes{0};

private:
  base::Mutex mutex_;
  std::map<std::string, DeviceFactory, std::less<>> factories_ ABSL_GUARDED_BY(mutex_); // by kind
  std::map<std::string, std::unique_ptr<Device>> devices_ ABSL_GUARDED_BY(mutex_); // by name
  base::Mutex madeMutex_;
  std::vector<Device *> made_ ABSL_GUARDED_BY(madeMutex_);
};

/// Never taken apart: memory of its devices may be given back by whatever ends last.
Registry &registry() {
  static auto *one = new Registry;
  return *one;
}

} // namespace

absl::StatusOr<std::unique_ptr<kernels::LibraryKernel>>
Device::make(const kernels::LibraryCall &call, const KernelOptions &options) {
  return kernels::makeKernel(call, options.scratchBytes, options.pool);
}

void registerKind(std::string_view kind, DeviceFactory make) {
  registry().add(kind, std::move(make));
}

absl::StatusOr<Device *> find(const std::string &name) { return registry().find(name); }

void wakeAll() { registry().wakeAll(); }

uint64_t wakes() { return registry().wakes.load(); }

absl::Status copyAll(Device &device, std::span<const CopyPiece> pieces, absl::Duration longest) {
  if (pieces.empty())
    return absl::OkStatus();
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<DeviceQueue> queue, device.makeQueue());
  for (const CopyPiece &piece : pieces)
    queue->copy(piece.to, piece.from, piece.bytes);
  queue->signal(1);
  for (const absl::Time end = absl::Now() + longest; absl::Now() < end;)
    switch (queue->reached(1)) {
    case DeviceQueue::Reached::Yes:
      return absl::OkStatus();
    case DeviceQueue::Reached::Failed:
      return queue->status();
    case DeviceQueue::Reached::NotYet:
      queue->wait(1, std::min(end - absl::Now(), absl::Milliseconds(100)), wakes());
    }
  (void)queue.release();
  uint64_t bytes = 0;
  for (const CopyPiece &piece : pieces)
    bytes += piece.bytes;
  return absl::DeadlineExceededError(absl::StrCat("copies of ", bytes, " bytes are not done after ",
                                                  absl::FormatDuration(longest),
                                                  ": the device hangs"));
}

Device &host() {
  static Device &one = **find(hostDevice());
  return one;
}

} // namespace graphc::device
