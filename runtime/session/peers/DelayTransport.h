//===- DelayTransport.h - a transport whose sends begin late, for tests -------------*- C++ -*-===//
//
// Wraps another one. With a delay that falls with the replica's number, gradients arrive in reverse
// order, which must not change a bit of the result. Turned on by the environment variable
// GRAPHC_TEST_DELAY_US (TaskMain.cpp).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SESSION_PEERS_DELAYTRANSPORT_H
#define GRAPHC_RUNTIME_SESSION_PEERS_DELAYTRANSPORT_H

#include "runtime/common/base/Mutex.h"
#include "runtime/transport/Transport.h"

#include "absl/time/clock.h"

#include <map>

namespace graphc::session {

class DelayTransport final : public transport::Transport {
public:
  DelayTransport(std::shared_ptr<transport::Transport> inner, absl::Duration delay)
      : inner_(std::move(inner)), delay_(delay) {}

  transport::SendPort *sender(transport::ChannelKey key) override {
    base::MutexLock lock(mutex_);
    auto &port = ports_[key];
    transport::SendPort *inner = inner_->sender(key);
    if (inner && (!port || &port->inner() != inner)) // a link that was made anew has another one
      port = std::make_unique<LatePort>(*inner, delay_);
    return port.get();
  }
  transport::RecvPort *receiver(transport::ChannelKey key) override {
    return inner_->receiver(key);
  }
  transport::TransportCounters counters() const override { return inner_->counters(); }
  std::vector<transport::MessageMemory> memory() override { return inner_->memory(); }
  void abort(absl::Status why) override { inner_->abort(std::move(why)); }
  absl::Status status() const override { return inner_->status(); }
  void wake() override { inner_->wake(); }
  absl::Status reset(uint64_t generation) override { return inner_->reset(generation); }

private:
  class LatePort final : public transport::SendPort {
  public:
    LatePort(transport::SendPort &inner, absl::Duration delay) : inner_(inner), delay_(delay) {}
    transport::SendPort &inner() const { return inner_; }
    transport::PollState acquire(void **data) override { return inner_.acquire(data); }
    transport::PollState start(const void *data, uint64_t step, transport::SendMode mode,
                               uint64_t bytes) override {
      if (due_ == absl::InfinitePast())
        due_ = absl::Now() + delay_;
      if (absl::Now() < due_ && inner_.status().ok())
        return transport::PollState::Pending;
      transport::PollState state = inner_.start(data, step, mode, bytes);
      if (state == transport::PollState::Ready)
        due_ = absl::InfinitePast();
      return state;
    }
    transport::PollState done() override { return inner_.done(); }
    void close() override { inner_.close(); }
    absl::Status status() const override { return inner_.status(); }
    void wait(absl::Duration timeout) override {
      if (due_ != absl::InfinitePast() && absl::Now() < due_)
        absl::SleepFor(std::min(timeout, due_ - absl::Now()));
      else
        inner_.wait(timeout);
    }

  private:
    transport::SendPort &inner_;
    const absl::Duration delay_;
    absl::Time due_ = absl::InfinitePast();
  };

  const std::shared_ptr<transport::Transport> inner_;
  const absl::Duration delay_;
  base::Mutex mutex_;
  std::map<transport::ChannelKey, std::unique_ptr<LatePort>> ports_ ABSL_GUARDED_BY(mutex_);
};

} // namespace graphc::session
#endif
