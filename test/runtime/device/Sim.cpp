#include "test/runtime/device/Sim.h"

#include "runtime/common/base/Status.h"
#include "runtime/device/CpuDevice.h"
#include "runtime/device/SegmentOrder.h"
#include "runtime/kernels/LibraryKernel.h"
#include "test/runtime/device/SimEngine.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::device {
namespace {

using namespace sim;

absl::Status statusOf(int code) {
  return code ? absl::InternalError(absl::StrCat("a kernel failed with code ", code)) : absl::OkStatus();
}

class SimBacking final : public MemoryRegion::Backing {
public:
  SimBacking(std::shared_ptr<Pages> pages, uint8_t *host) : pages(std::move(pages)), host(host) {}
  ~SimBacking() override { pages->giveBack(host); }

private:
  std::shared_ptr<Pages> pages;
  uint8_t *host;
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

  explicit SimSegment(std::shared_ptr<Pages> pages) : pages(std::move(pages)) {}
  uint32_t copy(uint32_t queue, CopyDirection, void *to, const void *from, uint64_t bytes) override {
    const auto index = uint32_t(all.copies.size());
    all.copies.push_back({to, from, bytes});
    add(queue, {nullptr, index});
    return index;
  }
  void launch(uint32_t queue, const DeviceCode &code, uint32_t kernel, std::span<void *const> buffers) override {
    add(queue, {[run = code.table().kernels[kernel].run, buffers = addresses(buffers)](const GraphcContext &context) {
          return statusOf(run(buffers.data(), &context));
        }});
  }
  void call(uint32_t queue, kernels::LibraryKernel &kernel, std::span<void *const> buffers) override {
    add(queue, {[&kernel, buffers = addresses(buffers)](const GraphcContext &) {
          return statusOf(kernel.run(buffers.data()));
        }});
  }
  uint32_t signal(uint32_t queue) override { return order.signal(queue); }
  void after(uint32_t queue, uint32_t signal) override { order.after(queue, signal); }
  absl::Status prepare() override { return absl::OkStatus(); }
  void move(uint32_t copy, void *to, const void *from) override {
    all.copies[copy].to = to;
    all.copies[copy].from = from;
  }
  const Given &given() const { return all; }

private:
  std::vector<void *> addresses(std::span<void *const> named) const {
    std::vector<void *> own;
    for (void *each : named)
      own.push_back(pages->ownAddress(each));
    return own;
  }
  void add(uint32_t queue, Work work) {
    all.work.push_back(std::move(work));
    all.after.push_back(order.add(queue));
  }

  std::shared_ptr<Pages> pages;
  SegmentOrder order;
  Given all;
};

class SimQueue final : public DeviceQueue {
public:
  SimQueue(std::shared_ptr<Engine> engine, std::shared_ptr<Pages> pages, uint64_t seed)
      : engine(std::move(engine)), pages(std::move(pages)), state(std::make_shared<QueueState>()), random(seed) {
    this->engine->add(state);
  }
  ~SimQueue() override { engine->drain(state); }

  void copy(void *to, const void *from, uint64_t bytes) override {
    enqueue([pages = pages, to, from, bytes] {
      memcpy(pages->ownAddress(to), pages->ownAddress(from), bytes);
      return absl::OkStatus();
    });
  }
  void run(QueueSegment &segment, const GraphcContext &context) override {
    enqueue([pages = pages, given = static_cast<SimSegment &>(segment).given(), context, seed = random()] {
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
  void signal(uint64_t n) override { engine->enqueue(*state, {nullptr, n, nullptr}); }
  Reached reached(uint64_t n) override { return engine->reached(*state, n); }
  void wait(uint64_t n, absl::Duration timeout, uint64_t wakes) override {
    engine->wait(*state, n, timeout, [wakes] { return device::wakes() != wakes; });
  }
  absl::Status status() const override { return engine->status(*state); }

private:
  void enqueue(std::function<absl::Status()> run) { engine->enqueue(*state, {std::move(run), 0, nullptr}); }

  std::shared_ptr<Engine> engine;
  std::shared_ptr<Pages> pages;
  std::shared_ptr<QueueState> state;
  std::mt19937_64 random;
};

class SimDevice final : public Device {
public:
  SimDevice(const std::string &name, uint64_t seed)
      : deviceName(name), cpu(*makeCpu(name)), pages(std::make_shared<Pages>()), engine(std::make_shared<Engine>(seed)),
        seed(seed) {}

  const std::string &name() const override { return deviceName; }
  DeviceLimits limits() const override { return {true, 16, uint64_t(1) << 30}; }
  absl::StatusOr<MemoryRegion> allocate(uint64_t bytes, MemorySpace space, MemoryRegion::Guard guard, const char *what) override {
    if (space == MemorySpace::Host)
      return cpu->allocate(bytes, space, guard, what);
    if (bytes > limits().memoryBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(what, ": ", bytes, " bytes, but ", deviceName, " has ", limits().memoryBytes));
    GRAPHC_ASSIGN_OR_RETURN(uint8_t *host, pages->add(bytes, what));
    return MemoryRegion::of(host, bytes, std::make_unique<SimBacking>(pages, host));
  }
  absl::StatusOr<MemoryRegion> share(uint64_t bytes, const char *what) override { return cpu->share(bytes, what); }
  absl::StatusOr<std::unique_ptr<DeviceCode>> load(const CodeImage &image) override { return cpu->load(image); }
  absl::StatusOr<std::unique_ptr<DeviceQueue>> makeQueue() override {
    return std::make_unique<SimQueue>(engine, pages, seed);
  }
  std::unique_ptr<QueueSegment> makeSegment() override { return std::make_unique<SimSegment>(pages); }
  void wake() override { engine->wake(); }

private:
  const std::string deviceName;
  std::unique_ptr<Device> cpu;
  std::shared_ptr<Pages> pages;
  std::shared_ptr<Engine> engine;
  const uint64_t seed;
};

} // namespace

std::unique_ptr<Device> makeSim(const std::string &name, uint64_t seed) {
  return std::make_unique<SimDevice>(name, seed);
}

} // namespace graphc::device
