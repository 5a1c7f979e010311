#include "test/runtime/device/Sim.h"

#include "runtime/base/Mutex.h"
#include "runtime/base/Status.h"
#include "runtime/device/CpuDevice.h"
#include "runtime/kernels/LibraryKernel.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace graphc::device {
namespace {

/// Both views of the device's memory. Pages that were given back stay, so that no address means two things.
class Pages {
public:
  ~Pages() {
    for (auto &[host, piece] : pieces) {
      ::munmap(host, piece.bytes);
      ::munmap(piece.own, piece.bytes);
    }
  }

  absl::StatusOr<uint8_t *> add(uint64_t bytes, const char *what) {
    const uint64_t page = uint64_t(::sysconf(_SC_PAGESIZE)), total = std::max((bytes + page - 1) / page * page, page);
    const int fd = ::memfd_create("graphc-sim", MFD_CLOEXEC);
    if (fd < 0 || ::ftruncate(fd, off_t(total)) != 0)
      return base::errnoStatus(absl::StrCat(what, ": memfd"), errno);
    void *host = ::mmap(nullptr, total, PROT_NONE, MAP_SHARED, fd, 0);
    void *own = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ::close(fd);
    if (host == MAP_FAILED || own == MAP_FAILED)
      return base::errnoStatus(absl::StrCat(what, ": mmap"), errno);
    base::MutexLock lock(mutex);
    pieces[static_cast<uint8_t *>(host)] = {static_cast<uint8_t *>(own), total};
    return static_cast<uint8_t *>(host);
  }

  void giveBack(uint8_t *host) {
    base::MutexLock lock(mutex);
    memset(pieces.at(host).own, 0xff, pieces.at(host).bytes); // a NaN of every float type
  }

  /// Where the device reads and writes what the host calls so.
  void *ownAddress(const void *address) {
    base::MutexLock lock(mutex);
    auto *at = static_cast<uint8_t *>(const_cast<void *>(address));
    auto piece = pieces.upper_bound(at);
    if (piece == pieces.begin())
      return at;
    --piece;
    const uint64_t offset = uint64_t(at - piece->first);
    return offset < piece->second.bytes ? piece->second.own + offset : at;
  }

private:
  struct Piece {
    uint8_t *own;
    uint64_t bytes;
  };
  base::Mutex mutex;
  std::map<uint8_t *, Piece> pieces ABSL_GUARDED_BY(mutex); // by the host's address
};

class SimBacking final : public Memory::Backing {
public:
  SimBacking(std::shared_ptr<Pages> pages, uint8_t *host) : pages(std::move(pages)), host(host) {}
  ~SimBacking() override { pages->giveBack(host); }

private:
  std::shared_ptr<Pages> pages;
  uint8_t *host;
};

struct QueueState;

/// One piece of work. `run`: a kernel's code; none: a signal, or a wait for another queue.
struct Work {
  std::function<int()> run;
  uint64_t count = 0;
  std::shared_ptr<QueueState> other;
};

struct QueueState {
  std::deque<Work> work;
  uint64_t count = 0, wanted = 0;
  bool ended = false; // nothing more will be enqueued, or done
  absl::Status failure;
  bool isWanted() const { return failure.ok() && !work.empty() && count < wanted; }
};

/// The device's thread and all its queues.
class Engine {
public:
  explicit Engine(uint64_t seed) : random(seed), thread([this] { loop(); }) {}
  ~Engine() {
    {
      base::MutexLock lock(mutex);
      ending = true;
    }
    changed.notifyAll();
    thread.join();
  }

  void add(const std::shared_ptr<QueueState> &queue) {
    base::MutexLock lock(mutex);
    queues.push_back(queue);
  }
  void enqueue(QueueState &queue, Work work) {
    base::MutexLock lock(mutex);
    queue.work.push_back(std::move(work));
  }
  Queue::Reached reached(QueueState &queue, uint64_t n) {
    base::MutexLock lock(mutex);
    return want(queue, n);
  }
  void wait(QueueState &queue, uint64_t n, absl::Duration timeout) {
    base::MutexLock lock(mutex);
    if (want(queue, n) == Queue::Reached::NotYet)
      changed.waitFor(mutex, timeout, [&] { return queue.count >= n || !queue.failure.ok(); });
  }
  absl::Status status(const QueueState &queue) {
    base::MutexLock lock(mutex);
    return queue.failure;
  }
  /// All of the queue is done, or never will be.
  void drain(const std::shared_ptr<QueueState> &queue) {
    base::MutexLock lock(mutex);
    queue->wanted = UINT64_MAX;
    changed.notifyAll();
    while (queue->isWanted())
      changed.wait(mutex);
    queue->ended = true;
    std::erase(queues, queue);
    changed.notifyAll(); // who waits for it learns that it is in vain
  }

private:
  Queue::Reached want(QueueState &queue, uint64_t n) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    if (queue.count >= n)
      return Queue::Reached::Yes;
    if (!queue.failure.ok())
      return Queue::Reached::Failed;
    queue.wanted = std::max(queue.wanted, n);
    changed.notifyAll();
    return Queue::Reached::NotYet;
  }

  /// A queue whose first work can be done and is asked for, drawn from all such.
  std::shared_ptr<QueueState> next() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::vector<std::shared_ptr<QueueState>> able;
    for (bool again = true; again;) {
      again = false;
      able.clear();
      for (const std::shared_ptr<QueueState> &queue : queues) {
        if (!queue->isWanted())
          continue;
        const Work &first = queue->work.front();
        if (!first.other || first.other->count >= first.count) {
          able.push_back(queue);
        } else if (!first.other->failure.ok() || first.other->ended) {
          queue->failure = first.other->failure;
          if (queue->failure.ok())
            queue->failure = absl::FailedPreconditionError(
                absl::StrCat("a queue waits for ", first.count, ", which nobody will signal"));
          again = true; // for those that wait for this one
          changed.notifyAll();
        } else if (first.other->wanted < first.count) { // who waits for it asks for it
          first.other->wanted = first.count;
          again = true;
        }
      }
    }
    return able.empty() ? nullptr : able[random() % able.size()];
  }

  /// Whose turn it is, and for what; null at the end.
  std::shared_ptr<QueueState> await(Work &work) {
    base::MutexLock lock(mutex);
    while (!ending) {
      if (std::shared_ptr<QueueState> queue = next()) {
        work = std::move(queue->work.front()); // its place is kept until it is done
        return queue;
      }
      changed.wait(mutex);
    }
    return nullptr;
  }

  void loop() {
    for (;;) {
      Work work;
      std::shared_ptr<QueueState> queue = await(work);
      if (!queue)
        return;
      const int code = work.run ? work.run() : 0;
      base::MutexLock lock(mutex);
      if (!work.run && !work.other)
        queue->count = work.count;
      queue->work.pop_front();
      if (code)
        queue->failure = absl::InternalError(absl::StrCat("a kernel failed with code ", code));
      changed.notifyAll();
    }
  }

  base::Mutex mutex;
  base::CondVar changed;
  std::vector<std::shared_ptr<QueueState>> queues ABSL_GUARDED_BY(mutex);
  std::mt19937_64 random ABSL_GUARDED_BY(mutex);
  bool ending ABSL_GUARDED_BY(mutex) = false;
  std::thread thread; // last: it uses the others
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
      return 0;
    });
  }
  void launch(const Code &code, uint32_t kernel, std::span<void *const> buffers,
              const GraphcContext &context) override {
    enqueue([pages = pages, run = code.table().kernels[kernel].run, named = names(buffers), context] {
      return run(addresses(*pages, named).data(), &context);
    });
  }
  void call(kernels::LibraryKernel &kernel, std::span<void *const> buffers) override {
    enqueue([pages = pages, &kernel, named = names(buffers)] { return kernel.run(addresses(*pages, named).data()); });
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
  void enqueue(std::function<int()> run) { engine->enqueue(*state, {std::move(run), 0, nullptr}); }

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
