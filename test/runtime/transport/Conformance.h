//===- Conformance.h - the one suite that every transport passes --------------------*- C++ -*-===//
//
// A backend's test file makes links and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(InProcess, Conformance,
//                            testing::Values(Backend{"InProcess", makeLink}), backendName);
//
// and links the object library graphc_transport_conformance, which holds the tests.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_TRANSPORT_CONFORMANCE_H
#define GRAPHC_TEST_RUNTIME_TRANSPORT_CONFORMANCE_H

#include "runtime/device/MemoryRegion.h"
#include "runtime/transport/Transport.h"

#include "absl/status/statusor.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphc::transport {

/// Two connected tasks: every channel goes from `sending` to `receiving` (one object where both
/// ends are in it).
class Link {
public:
  virtual ~Link() = default;
  virtual Transport &sending() = 0;
  virtual Transport &receiving() = 0;
  /// Where the sending side's zero-copy messages lie: 1 MiB, 64-byte aligned.
  virtual uint8_t *zeroCopy() { return own_.data(); }

private:
  device::MemoryRegion own_ =
      *device::MemoryRegion::allocate(1 << 20, device::MemoryRegion::Guard::None, "zero-copy");
};

struct Backend {
  std::string name;
  std::function<absl::StatusOr<std::unique_ptr<Link>>(const std::vector<ChannelSpec> &)> make;
};

class Conformance : public testing::TestWithParam<Backend> {
protected:
  /// One channel {0, 0}; both ports.
  void open(uint64_t bytes, uint32_t capacity);
  void open(const std::vector<ChannelSpec> &specs);
  /// Send and receive with waiting, 20 s at most; false with a test failure.
  bool send(SendPort *port, const void *data, uint64_t step = 0, SendMode mode = SendMode::Borrow,
            uint64_t bytes = kWhole);
  const void *receive(RecvPort *port);
  /// Polls until the port is in `state`, 20 s at most.
  PollState pollUntil(RecvPort *port, PollState state);

  std::unique_ptr<Link> link;
  SendPort *sender = nullptr;
  RecvPort *receiver = nullptr;
};

inline constexpr absl::Duration patience = absl::Seconds(20);
/// Bytes that differ by `seed` and position.
std::vector<uint8_t> content(uint64_t bytes, uint32_t seed);
/// Runs `blocked` on a thread, gives it time to fall asleep, then `wake`; the time from wake to the
/// thread's end.
absl::Duration timeToWake(const std::function<void()> &blocked, const std::function<void()> &wake);

inline std::string backendName(const testing::TestParamInfo<Backend> &info) {
  return info.param.name;
}

} // namespace graphc::transport
#endif
