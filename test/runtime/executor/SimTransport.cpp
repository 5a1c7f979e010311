#include "test/runtime/executor/SimTransport.h"

#include "runtime/device/MemoryRegion.h"

#include <cstring>
#include <deque>

namespace graphc::executor {

using transport::ChannelKey;
using transport::ChannelSpec;
using transport::PollState;

void EventQueue::runNext() {
  Event event = queue_.top();
  queue_.pop();
  now_ = event.time;
  event.action();
}

/// Both ends of one channel instance.
class SimChannel {
public:
  class Sender final : public transport::SendPort {
  public:
    explicit Sender(SimChannel &channel) : channel_(channel) {}
    PollState acquire(void **data) override { return channel_.acquire(data); }
    PollState start(const void *data, uint64_t step, transport::SendMode mode,
                    uint64_t bytes) override {
      return channel_.start(data, mode, bytes);
    }
    PollState done() override {
      return channel_.fromStatus && !channel_.fromStatus->ok() ? PollState::Aborted
             : channel_.isBorrowed()                           ? PollState::Pending
                                                               : PollState::Ready;
    }
    void close() override { channel_.close(); }
    void wait(absl::Duration) override {}
    absl::Status status() const override { return *channel_.fromStatus; }

  private:
    SimChannel &channel_;
  };
  class Receiver final : public transport::RecvPort {
  public:
    explicit Receiver(SimChannel &channel) : channel_(channel) {}
    PollState poll(const void **data) override {
      uint64_t there;
      return channel_.poll(data, UINT64_MAX, &there);
    }
    PollState pollStart(const void **data, uint64_t known, uint64_t *there) override {
      return channel_.poll(data, known + 1, there);
    }
    uint64_t size() const override {
      return channel_.spec.unit ? channel_.arrived_.front()->bytes : transport::kWhole;
    }
    void release() override { channel_.release(); }
    void wait(absl::Duration) override {}
    absl::Status status() const override { return *channel_.toStatus; }

  private:
    SimChannel &channel_;
  };

  SimChannel(SimNetwork &network, const ChannelSpec &spec, uint32_t from, uint32_t to,
             std::string name)
      : network(network), spec(spec), from(from), to(to), name(std::move(name)), sender(*this),
        receiver(*this) {}

  PollState acquire(void **data) {
    if (!fromStatus->ok())
      return PollState::Aborted;
    if (credits() == 0 || borrowed_)
      return PollState::Pending;
    if (spec.bytes && !slot_.size())
      slot_ = *device::MemoryRegion::allocate(spec.bytes, device::MemoryRegion::Guard::None,
                                              "a simulated slot");
    *data = slot_.data();
    return PollState::Ready;
  }

  PollState start(const void *data, transport::SendMode mode, uint64_t bytes) {
    bytes = spec.unit ? bytes : spec.bytes;
    if (!fromStatus->ok())
      return PollState::Aborted;
    if (credits() == 0 || borrowed_)
      return PollState::Pending;
    ++sent_;
    sentBytes += bytes;
    if (spec.zeroCopy) {
      depart(
          std::make_shared<Message>(Message{{}, static_cast<const uint8_t *>(data), bytes, bytes}));
      return PollState::Ready;
    }
    auto message = makeMessage(bytes);
    if (mode == transport::SendMode::Copy) {
      fill(*message, data);
      depart(message);
      return PollState::Ready;
    }
    borrowed_ = true;
    network.events_.after(network.events_.upTo(network.options_.maxDelay), [this, data, message] {
      if (!dead)
        fill(*message, data); // only now: what the sender wrote too early is in it
      borrowed_ = false;
      network.changed(&sender);
      depart(message);
    });
    return PollState::Ready;
  }

  PollState poll(const void **data, uint64_t least, uint64_t *there) {
    if (!arrived_.empty() && arrived_.front() &&
        arrived_.front()->here >= std::min(least, arrived_.front()->bytes)) {
      *data = arrived_.front()->data;
      *there = arrived_.front()->here;
      return PollState::Ready;
    }
    if (!arrived_.empty() && !arrived_.front())
      return PollState::Closed; // the null behind the last message
    return toStatus->ok() ? PollState::Pending : PollState::Aborted;
  }

  void release() {
    receivedBytes += arrived_.front()->bytes;
    arrived_.pop_front();
    if (spec.creditWaits && !spec.zeroCopy) // who sends zero-copy sees the release itself
      network.waitingCredits_[{to, from}].push_back(this);
    else
      network.events_.after(network.events_.upTo(network.options_.maxDelay), [this] { credit(); });
  }
  void credit() {
    ++released_;
    network.changed(&sender);
  }

  void close() {
    if (!std::exchange(closed_, true))
      depart(nullptr);
  }

  void reset() {
    arrived_.clear();
    sent_ = released_ = 0;
    closed_ = borrowed_ = false;
    lastArrival_ = 0;
  }

  SimNetwork &network;
  const ChannelSpec spec;
  const uint32_t from, to;
  const std::string name;
  Sender sender;
  Receiver receiver;
  absl::Status *fromStatus = nullptr, *toStatus = nullptr; // of the tasks' views
  bool dead = false;
  uint64_t sentBytes = 0, receivedBytes = 0;

private:
  struct Message {
    device::MemoryRegion own; // none where it is zero-copy
    const uint8_t *data = nullptr;
    uint64_t here = 0; // bytes that have arrived
    uint64_t bytes = 0; // of all of it
    // What has not arrived yet is not to be read: it looks otherwise until it has.
    void scramble(uint64_t from, uint64_t to) {
      for (uint64_t i = from; i < to; ++i)
        own.data()[i] ^= 0xa5;
    }
  };
  std::shared_ptr<Message> makeMessage(uint64_t bytes) {
    device::MemoryRegion own = *device::MemoryRegion::allocate(
        spec.bytes + 1, device::MemoryRegion::Guard::None, "a simulated message");
    // what nobody sent is not to be read either
    memset(own.data() + bytes, 0xa5, spec.bytes - bytes);
    const uint8_t *data = own.data();
    return std::make_shared<Message>(Message{std::move(own), data, bytes, bytes});
  }
  void fill(Message &message, const void *data) {
    if (message.bytes)
      memcpy(message.own.data(), data, message.bytes);
  }
  bool isBorrowed() const { return borrowed_ || (spec.zeroCopy && sent_ != released_); }
  uint64_t credits() const { return spec.capacity - (sent_ - released_); }

  // In order within a channel, whatever the delays.
  void depart(std::shared_ptr<Message> message) {
    if (dead)
      return;
    if (message && network.events_.chance(network.options_.loss)) {
      dead = true;
      network.lost(name, from, to);
      return;
    }
    VirtualTime arrival = network.events_.time() + network.events_.upTo(network.options_.maxDelay);
    lastArrival_ = std::max(arrival, lastArrival_ + 1);
    const VirtualTime first = lastArrival_;
    // The rest of some messages comes later, as over a connection; the next message behind it.
    if (message && message->own.size() && message->bytes > 4 && network.events_.chance(0.5)) {
      message->here = 4 * network.events_.upTo(message->bytes / 4 - 1);
      message->scramble(message->here, message->bytes);
      lastArrival_ += 1 + network.events_.upTo(network.options_.maxDelay);
      network.events_.at(lastArrival_, [this, message] {
        if (dead)
          return;
        message->scramble(message->here, message->bytes);
        message->here = message->bytes;
        network.changed(&receiver);
      });
    }
    network.events_.at(
        first, [this, message, credits = std::exchange(network.waitingCredits_[{from, to}], {})] {
          if (dead)
            return;
          for (SimChannel *channel : credits)
            channel->credit();
          arrived_.push_back(message);
          network.changed(&receiver);
        });
  }

  device::MemoryRegion slot_; ///< what acquire() gives
  bool borrowed_ = false, closed_ = false;
  uint64_t sent_ = 0, released_ = 0; // as the sender knows
  VirtualTime lastArrival_ = 0;
  std::deque<std::shared_ptr<Message>> arrived_;
};

class SimNetwork::TaskView final : public transport::Transport {
public:
  TaskView(SimNetwork &network, uint32_t task) : network_(network), index_(task) {}
  transport::SendPort *sender(ChannelKey key) override {
    auto it = network_.channels_.find(key);
    return it == network_.channels_.end() || it->second->from != index_ ? nullptr
                                                                        : &it->second->sender;
  }
  transport::RecvPort *receiver(ChannelKey key) override {
    auto it = network_.channels_.find(key);
    return it == network_.channels_.end() || it->second->to != index_ ? nullptr
                                                                      : &it->second->receiver;
  }
  transport::TransportCounters counters() const override {
    transport::TransportCounters sum;
    for (auto &[key, channel] : network_.channels_) {
      if (channel->from == index_)
        (channel->spec.control ? sum.controlBytes : sum.bytesSent) += channel->sentBytes;
      if (channel->to == index_)
        (channel->spec.control ? sum.controlBytes : sum.bytesReceived) += channel->receivedBytes;
    }
    return sum;
  }
  void abort(absl::Status status) override {
    if (why.ok())
      why = std::move(status);
    for (auto &[key, channel] : network_.channels_) {
      if (channel->from == index_)
        network_.changed(&channel->sender);
      if (channel->to == index_)
        network_.changed(&channel->receiver);
    }
  }
  absl::Status status() const override { return why; }
  absl::Status reset(uint64_t) override {
    why = absl::OkStatus();
    for (auto &[key, channel] : network_.channels_)
      channel->reset();
    network_.waitingCredits_.clear();
    return absl::OkStatus();
  }
  absl::Status why;

private:
  SimNetwork &network_;
  uint32_t index_;
};

SimNetwork::SimNetwork(EventQueue &events, const SimNetworkOptions &options)
    : events_(events), options_(options) {}
SimNetwork::~SimNetwork() = default;

transport::Transport &SimNetwork::task(uint32_t task) {
  auto &view = views_[task];
  if (!view)
    view = std::make_unique<TaskView>(*this, task);
  return *view;
}

void SimNetwork::addChannel(const ChannelSpec &spec, uint32_t from, uint32_t to,
                            const std::string &name) {
  task(from), task(to);
  auto channel = std::make_unique<SimChannel>(*this, spec, from, to, name);
  channel->fromStatus = &views_[from]->why;
  channel->toStatus = &views_[to]->why;
  channels_[spec.key] = std::move(channel);
}

void SimNetwork::kill(uint32_t task) {
  for (auto &[key, channel] : channels_)
    if (channel->from == task || channel->to == task)
      channel->dead = true;
}

} // namespace graphc::executor
