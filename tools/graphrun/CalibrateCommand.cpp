//===- CalibrateCommand.cpp - graphrun calibrate ----------------------------------------------===//
//
// A few seconds of measuring on one thread, or on two that send each other messages through the
// transports that tasks use: shared memory, and gRPC over the loopback. Rates are the best of
// several rounds and latencies the first quartile, because other load only ever slows one down.
//
//===------------------------------------------------------------------------------------------===//
#include "tools/graphrun/CalibrateCommand.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/cluster/MachineCalibration.h"
#include "runtime/kernels/LibraryKernel.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "runtime/transport/SharedMemoryTransport.h"
#include "tools/graphrun/check/LinkTimer.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>

namespace graphc::graphrun {
namespace {

using transport::ChannelSpec;
using transport::Transport;

constexpr int kRounds = 5;
constexpr double kSeconds = 1; // for each kind of link
// by one data stream, as between most tasks
const TimedChannels kChannels(0, /*largeBytes=*/2 << 20, /*capacity=*/2);

double seconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Memory as kernels get it.
struct Block {
  explicit Block(size_t bytes)
      : data(static_cast<char *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64))) {
    std::fill(data, data + bytes, 0);
  }
  ~Block() { std::free(data); }
  Block(const Block &) = delete;
  char *data;
};

/// The shortest call of a square matmul, in seconds.
absl::StatusOr<double> timeMatmul(int64_t size) {
  kernels::MatmulDesc desc;
  desc.m = desc.n = desc.k = size;
  GRAPHC_ASSIGN_OR_RETURN(uint64_t scratch, kernels::matmulScratchBytes(desc));
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<kernels::LibraryKernel> kernel,
                          kernels::makeMatmul(desc, scratch));
  size_t bytes = size_t(size) * size_t(size) * 4;
  Block a(bytes), b(bytes), c(bytes), extra(scratch + 64);
  std::vector<void *> buffers{a.data, b.data, c.data};
  if (scratch)
    buffers.push_back(extra.data);
  double best = 1e9;
  int error = 0, calls = size > 64 ? 4 : 2000;
  for (int round = 0; round < 2 * kRounds && !error; ++round)
    best = std::min(best, seconds([&] {
                            for (int i = 0; i < calls; ++i)
                              error |= kernel->run(buffers.data());
                          }) / calls);
  if (error)
    return absl::InternalError(absl::StrCat("the library matmul failed with ", error));
  return best;
}

/// Bytes a second that one thread reads and writes of memory beyond the caches.
double timeMemory() {
  constexpr size_t kFloats = 16 << 20;
  Block a(kFloats * 4), b(kFloats * 4);
  auto *x = reinterpret_cast<float *>(a.data);
  const auto *y = reinterpret_cast<const float *>(b.data);
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round)
    best = std::min(best, seconds([&] {
                      for (size_t i = 0; i < kFloats; ++i)
                        x[i] += y[i];
                    }));
  return 3.0 * kFloats * 4 / best;
}

/// Near asks on this thread, far answers on another.
absl::StatusOr<cluster::MachineCalibration::Link> timeBoth(Transport &near, Transport &far) {
  absl::Status answered;
  std::thread other([&] { answered = answerLink(far, kChannels); });
  absl::StatusOr<LinkFigures> figures = timeLink(near, kChannels, kSeconds);
  other.join();
  GRAPHC_RETURN_IF_ERROR(figures.status());
  GRAPHC_RETURN_IF_ERROR(answered);
  return cluster::MachineCalibration::Link{figures->latencyMicroseconds, figures->there};
}

absl::StatusOr<cluster::MachineCalibration::Link> timeSharedMemory() {
  const std::string near = "/job:near/task:0", far = "/job:far/task:0", plan(64, '0');
  GRAPHC_ASSIGN_OR_RETURN(auto atNear, base::UnnamedListener::make(SOCK_SEQPACKET));
  GRAPHC_ASSIGN_OR_RETURN(auto atFar, base::UnnamedListener::make(SOCK_SEQPACKET));
  GRAPHC_ASSIGN_OR_RETURN(
      auto a,
      transport::SharedMemoryTransport::listen(
          {"calibration", plan, near, {{far, kChannels.back, kChannels.there, atFar.procPath()}}},
          std::move(atNear.listener)));
  GRAPHC_ASSIGN_OR_RETURN(
      auto b,
      transport::SharedMemoryTransport::listen(
          {"calibration", plan, far, {{near, kChannels.there, kChannels.back, atNear.procPath()}}},
          std::move(atFar.listener)));
  absl::Time deadline = absl::Now() + absl::Seconds(10);
  absl::Status other; // each waits until the other has come
  std::thread farEnd([&] { other = b->connect(deadline); });
  absl::Status own = a->connect(deadline);
  farEnd.join();
  GRAPHC_RETURN_IF_ERROR(own);
  GRAPHC_RETURN_IF_ERROR(other);
  for (auto *end : {a.get(), b.get()})
    GRAPHC_RETURN_IF_ERROR(end->reset(1));
  return timeBoth(*a, *b);
}

/// Two tasks' servers.
struct GrpcEnds {
  ~GrpcEnds() {
    for (int task : {0, 1}) {
      if (server[task])
        server[task]->data().serve(nullptr);
      if (end[task])
        end[task]->shutdown();
    }
  }
  std::unique_ptr<service::TaskServer> server[2];
  std::unique_ptr<transport::GrpcTransport> end[2];
};

absl::StatusOr<cluster::MachineCalibration::Link> timeGrpc() {
  service::silenceGrpc();
  GrpcEnds ends;
  service::TaskIdentity known{service::randomHex(32), nullptr};
  base::UniqueFd path[2];
  std::string address[2];
  transport::GrpcIdentity identity[2];
  for (uint32_t task : {0u, 1u}) {
    GRAPHC_ASSIGN_OR_RETURN(base::UnnamedListener socket, base::UnnamedListener::make(SOCK_STREAM));
    address[task] = socket.inheritedAddress();
    path[task] = std::move(socket.path);
    GRAPHC_ASSIGN_OR_RETURN(
        ends.server[task],
        service::TaskServer::start({address[task], std::move(socket.listener), known}, {}));
    identity[task] = {task, absl::StrCat("/job:t/task:", task), task + 1, "calibration",
                      "calibration"};
    ends.end[task] = std::make_unique<transport::GrpcTransport>(identity[task]);
  }
  for (uint32_t task : {0u, 1u}) {
    transport::GrpcTransport &end = *ends.end[task];
    end.addPeer(1 - task, identity[1 - task].name, identity[1 - task].incarnation);
    for (const ChannelSpec &spec : kChannels.there)
      task == 0 ? (void)end.addSend(1, spec) : (void)end.addRecv(0, spec);
    for (const ChannelSpec &spec : kChannels.back)
      task == 1 ? (void)end.addSend(0, spec) : (void)end.addRecv(1, spec);
    ends.server[task]->data().serve(&end);
  }
  service::TaskDialer dialer(address[1], known);
  GRAPHC_RETURN_IF_ERROR(ends.end[0]->connect(1, [&] { return dialer.start(absl::Seconds(10)); }));
  for (auto &end : ends.end)
    GRAPHC_RETURN_IF_ERROR(end->waitConnected(absl::Now() + absl::Seconds(10)));
  return timeBoth(*ends.end[0], *ends.end[1]);
}

std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0 && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

absl::StatusOr<cluster::MachineCalibration> measure() {
  cluster::MachineCalibration figures;
  auto tell = [](const std::string &text) { std::fprintf(stderr, "graphrun: %s\n", text.c_str()); };
  auto tellLink = [&](const char *name, const cluster::MachineCalibration::Link &link) {
    char text[128];
    std::snprintf(text, sizeof text, "%s %.3g µs one way, %.3g Gbit/s", name,
                  link.latencyMicroseconds, link.gigabitsPerSecond);
    tell(text);
  };
  figures.cpu = cpuName();
  figures.cores = std::max(1u, std::thread::hardware_concurrency());
  tell(absl::StrCat(figures.cpu, ", ", figures.cores, " cores; this takes a few seconds"));
  constexpr int64_t kSize = 512;
  GRAPHC_ASSIGN_OR_RETURN(double matmul, timeMatmul(kSize));
  figures.matmulGflops = 2.0 * kSize * kSize * kSize / matmul / 1e9;
  GRAPHC_ASSIGN_OR_RETURN(double call, timeMatmul(1));
  figures.callNanoseconds = call * 1e9;
  tell(absl::StrCat("matmul ", int64_t(figures.matmulGflops), " Gflop/s a thread, a call ",
                    int64_t(figures.callNanoseconds), " ns"));
  figures.memoryGigabytesPerSecond = timeMemory() / 1e9;
  tell(absl::StrCat("memory ", int64_t(figures.memoryGigabytesPerSecond), " GB/s a thread"));
  GRAPHC_ASSIGN_OR_RETURN(figures.sharedMemory, timeSharedMemory());
  tellLink("shared memory", figures.sharedMemory);
  GRAPHC_ASSIGN_OR_RETURN(figures.grpc, timeGrpc());
  tellLink("gRPC", figures.grpc);
  return figures;
}

/// What cannot be written is said before anything is measured.
absl::Status prepare(const std::string &output) {
  if (output == "-")
    return absl::OkStatus();
  std::error_code ignored; // whether a file can be written tells what is wrong
  if (auto folder = std::filesystem::path(output).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder, ignored);
  if (std::filesystem::is_directory(output, ignored))
    return base::errnoStatus(output, EISDIR);
  return base::checkWritable(output);
}

} // namespace

int calibrate(int argc, char **argv) {
  std::string output = cluster::calibrationPath();
  CLI::App app(
      "Measures this machine once, for the times that graphc predicts (graphc --compare, --report): kernels, "
      "memory, messages by shared memory and by gRPC.",
      "graphrun calibrate");
  app.footer(
      "Exit status: 0 done; 1 something could not be measured or written; 2 the command line is wrong.");
  app.add_option("-o,--output", output, "the file; -: standard output")
      ->type_name("FILE")
      ->default_str(output.empty() ? "none: no home folder is known" : output);
  try { // CLI11 reports by exception; they end here
    app.parse(argc, argv);
  } catch (const CLI::Success &wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "graphrun: %s (see graphrun calibrate --help)\n", error.what());
    return 2;
  }
  if (output.empty()) {
    std::fprintf(stderr, "graphrun: no home folder is known; name a file with -o\n");
    return 2;
  }
  absl::Status status = prepare(output);
  if (status.ok()) {
    auto figures = measure();
    status = figures.status();
    if (status.ok()) {
      std::string text = cluster::toJson(*figures);
      status = output == "-"
                   ? base::writeAll(STDOUT_FILENO, text.data(), text.size(), "standard output")
                   : base::writeFileAtomic(output, text);
    }
  }
  if (!status.ok()) {
    std::fprintf(stderr, "graphrun: %s\n", base::describe(status).c_str());
    return 1;
  }
  if (output != "-")
    std::fprintf(stderr, "graphrun: wrote %s\n", output.c_str());
  return 0;
}

} // namespace graphc::graphrun
