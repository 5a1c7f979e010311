#include "test/runtime/device/Sim.h"

#include "runtime/base/Status.h"
#include "runtime/device/CpuDevice.h"
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

class SimBacking final : public Memory::Backing {
public:
  SimBacking(std::shared_ptr<Pages> pages, uint8_t *host) : pages(std::move(pages)), host(host) {}
  ~SimBacking() override { pages->giveBack(host); }

private:
  std::shared_ptr<Pages> pages;
  uint8_t *host;
};

class SimQueue final : public Queue {
public:
  SimQueue(std::shared_ptr<Engine> engine, std::shared_ptr<Pages> pages)
      : engine(std::move(engine)), pages(std::move(pages)), state(std::make_shared<QueueState>()) {
    this->engine->add(state);
  }
  ~SimQueue() override { engine->drain(state); }

  void copy(void *to, const void *from, uint64_t bytes) override {
    enqueue([pages = pages, to, from, bytes] {
      memcpy(pages->ownAddress(to), pages->ownAddress(from), bytes);
      return absl::OkStatus();
    });
  }
  void launch(const Code &code, uint32_t kernel, std::span<void *const> buffers,
              const GraphcContext &context) override {
    enqueue([pages = pages, run = code.table().kernels[kernel].run, named = names(buffers), context] {
      return statusOf(run(addresses(*pages, named).data(), &context));
    });
  }
  void call(kernels::LibraryKernel &kernel, std::span<void *const> buffers) override {
    enqueue([pages = pages, &kernel, named = names(buffers)] {
      return statusOf(kernel.run(addresses(*pages, named).data()));
    });
  }
  void signal(uint64_t n) override { engine->enqueue(*state, {nullptr, n, nullptr}); }
  void after(Queue &other, uint64_t n) override {
    engine->enqueue(*state, {nullptr, n, static_cast<SimQueue &>(other).state});
  }
  Reached reached(uint64_t n) override { return engine->reached(*state, n); }
  void wait(uint64_t n, absl::Duration timeout) override { engine->wait(*state, n, timeout); }
  absl::Status status() const override { return engine->status(*state); }

private:
  static std::vector<void *> names(std::span<void *const> buffers) { return {buffers.begin(), buffers.end()}; }
  static std::vector<void *> addresses(Pages &pages, std::vector<void *> named) {
    for (void *&each : named)
      each = pages.ownAddress(each);
    return named;
  }
  void enqueue(std::function<absl::Status()> run) { engine->enqueue(*state, {std::move(run), 0, nullptr}); }

  std::shared_ptr<Engine> engine;
  std::shared_ptr<Pages> pages;
  std::shared_ptr<QueueState> state;
};

class SimDevice final : public Device {
public:
  SimDevice(const std::string &name, uint64_t seed)
      : deviceName(name), cpu(*makeCpu(name)), pages(std::make_shared<Pages>()),
        engine(std::make_shared<Engine>(seed)) {}

  const std::string &name() const override { return deviceName; }
  Limits limits() const override { return {true, 16, uint64_t(1) << 30}; }
  absl::StatusOr<Memory> allocate(uint64_t bytes, Space space, Memory::Guard guard, const char *what) override {
    if (space == Space::Host)
      return cpu->allocate(bytes, space, guard, what);
    if (bytes > limits().memoryBytes)
      return absl::ResourceExhaustedError(
          absl::StrCat(what, ": ", bytes, " bytes, but ", deviceName, " has ", limits().memoryBytes));
    GRAPHC_ASSIGN_OR_RETURN(uint8_t *host, pages->add(bytes, what));
    return Memory::of(host, bytes, std::make_unique<SimBacking>(pages, host));
  }
  absl::StatusOr<Memory> share(uint64_t bytes, const char *what) override { return cpu->share(bytes, what); }
  absl::StatusOr<std::unique_ptr<Code>> load(const CodeImage &image) override { return cpu->load(image); }
  absl::StatusOr<std::unique_ptr<Queue>> makeQueue() override { return std::make_unique<SimQueue>(engine, pages); }

private:
  const std::string deviceName;
  std::unique_ptr<Device> cpu;
  std::shared_ptr<Pages> pages;
  std::shared_ptr<Engine> engine;
};

} // namespace

std::unique_ptr<Device> makeSim(const std::string &name, uint64_t seed) {
  return std::make_unique<SimDevice>(name, seed);
}

} // namespace graphc::device
