#include "test/runtime/device/Sim.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/device/CpuDevice.h"
#include "runtime/device/SegmentDependencies.h"
#include "runtime/kernels/LibraryKernel.h"
#include "test/runtime/device/SimEngine.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::device {
namespace {

using namespace sim;

absl::Status statusOf(int code) {
  return code ? absl::InternalError(absl::StrCat("a kernel failed with code ", code))
              : absl::OkStatus();
}

class SimBacking final : public MemoryRegion::Backing {
public:
  SimBacking(std::shared_ptr<Pages> pages, uint8_t *host) : pages_(std::move(pages)), host_(host) {}
  ~SimBacking() override { pages_->giveBack(host_); }

private:
  std::shared_ptr<Pages> pages_;
  uint8_t *host_;
};

/// Its work in any order that it allows, drawn each time.
class SimSegment final : public QueueSegment {
public:
  struct Work {
    std::function<absl::Status(const GraphcContext &)> run; ///< none: a copy
    uint32_t copy = 0;
  };
  /// What one run does: later moves are for later ones.
  struct Given {
    std::vector<Work> work;
    std::vector<std::vector<uint32_t>> after;
    std::vector<CopyPiece> copies;
  };

  explicit SimSegment(std::shared_ptr<Pages> pages) : pages_(std::move(pages)) {}
  uint32_t copy(uint32_t queue, CopyDirection, void *to, const void *from,
                uint64_t bytes) override {
    const auto index = uint32_t(all_.copies.size());
    all_.copies.push_back({to, from, bytes});
    add(queue, {nullptr, index});
    return index;
  }
  void launch(uint32_t queue, const DeviceCode &code, uint32_t kernel,
              std::span<void *const> buffers) override {
    add(queue,
        {[run = code.table().kernels[kernel].run, buffers = addresses(buffers)](
             const GraphcContext &context) { return statusOf(run(buffers.data(), &context)); }});
  }
  void call(uint32_t queue, kernels::LibraryKernel &kernel,
            std::span<void *const> buffers) override {
    add(queue, {[&kernel, buffers = addresses(buffers)](const GraphcContext &) {
          return statusOf(kernel.run(buffers.data()));
        }});
  }
  uint32_t signal(uint32_t queue) override { return order_.signal(queue); }
  void after(uint32_t queue, uint32_t signal) override { order_.after(queue, signal); }
  absl::Status prepare() override { return absl::OkStatus(); }
  void move(uint32_t copy, void *to, const void *from) override {
    all_.copies[copy].to = to;
    all_.copies[copy].from = from;
  }
  const Given &given() const { return all_; }

private:
  std::vector<void *> addresses(std::span<void *const> named) const {
    std::vector<void *> own;
    for (void *each : named)
      own.push_back(pages_->ownAddress(each));
    return own;
  }
  void add(uint32_t queue, Work work) {
    all_.work.push_back(std::move(work));
    all_.after.push_back(order_.add(queue));
  }

  std::shared_ptr<Pages> pages_;
  SegmentDependencies order_;
  Given all_;
};

class SimQueue final : public DeviceQueue {
public:
  SimQueue(std::shared_ptr<Engine> engine, std::shared_ptr<Pages> pages, uint64_t seed)
      : engine_(std::move(engine)), pages_(std::move(pages)),
        state_(std::make_shared<QueueState>()), random_(seed) {
    this->engine_->add(state_);
  }
  ~SimQueue() override { engine_->drain(state_); }

  void copy(void *to, const void *from, uint64_t bytes) override {
    enqueue([pages = pages_, to, from, bytes] {
      memcpy(pages->ownAddress(to), pages->ownAddress(from), bytes);
      return absl::OkStatus();
    });
  }
  void run(QueueSegment &segment, const GraphcContext &context) override {
    enqueue([pages = pages_, given = static_cast<SimSegment &>(segment).given(), context,
             seed = random_()] {
      std::mt19937_64 order(seed);
      return runInSomeOrder(given.after, order, [&](uint32_t i) {
        if (given.work[i].run)
          return given.work[i].run(context);
        const CopyPiece &piece = given.copies[given.work[i].copy];
        memcpy(pages->ownAddress(piece.to), pages->ownAddress(piece.from), piece.bytes);
        return absl::OkStatus();
      });
    });
  }
  void signal(uint64_t n) override { engine_->enqueue(*state_, {nullptr, n, nullptr}); }
  Reached reached(uint64_t n) override { return engine_->reached(*state_, n); }
  void wait(uint64_t n, absl::Duration timeout, uint64_t wakes) override {
    engine_->wait(*state_, n, timeout, [wakes] { return device::wakes() != wakes; });
  }
  absl::Status status() const override { return engine_->status(*state_); }

private:
  void enqueue(std::function<absl::Status()> run) {
    engine_->enqueue(*state_, {std::move(run), 0, nullptr});
  }

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Pages> pages_;
  std::shared_ptr<QueueState> state_;
  std::mt19937_64 random_;
};

class SimDevice final : public Device {
public:
  SimDevice(const std::string &name, uint64_t seed)
      : deviceName_(name), cpu_(*makeCpu(name)), pages_(std::make_shared<Pages>()),
        engine_(std::make_shared<Engine>(seed)), seed_(seed) {}

  const std::string &name() const override { return deviceName_; }
  DeviceLimits limits() const override { return {true, 16, uint64_t(1) << 30}; }
  absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace space,
                                        MemoryRegion::Guard guard, const char *what) override {
    if (space == MemorySpace::Host)
      return cpu_->allocate(bytes, space, guard, what);
    if (bytes > limits().memoryBytes)
      return absl::ResourceExhaustedError(absl::StrCat(what, ": ", bytes, " bytes, but ",
                                                       deviceName_, " has ", limits().memoryBytes));
    GRAPHC_ASSIGN_OR_RETURN(uint8_t *host, pages_->add(bytes, what));
    return MemoryRegion::of(host, bytes, std::make_unique<SimBacking>(pages_, host));
  }
  absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) override {
    return cpu_->share(bytes, what);
  }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) override {
    return cpu_->load(image);
  }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override {
    return std::make_unique<SimQueue>(engine_, pages_, seed_);
  }
  std::unique_ptr<QueueSegment> makeSegment() override {
    return std::make_unique<SimSegment>(pages_);
  }
  void wake() override { engine_->wake(); }

private:
  const std::string deviceName_;
  std::unique_ptr<Device> cpu_;
  std::shared_ptr<Pages> pages_;
  std::shared_ptr<Engine> engine_;
  const uint64_t seed_;
};

} // namespace

std::unique_ptr<Device> makeSim(const std::string &name, uint64_t seed) {
  return std::make_unique<SimDevice>(name, seed);
}

} // namespace graphc::device
