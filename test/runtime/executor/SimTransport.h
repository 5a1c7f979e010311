//===- SimTransport.h - a network in virtual time -----------------------------------*- C++ -*-===//
//
// All tasks' channels in one object, single-threaded. A message takes a random time to leave its
// buffer (a Borrowed buffer is read only then, so that a sender that writes too early shows),
// another to arrive, and its credit a third to come back; of a channel whose credits wait it comes
// with the next message between the two tasks, and never where there is none. A message may arrive
// in two parts. A zero-copy message is the sender's buffer itself: what is written before its
// release shows too. The simulator asks for the next event and carries it out.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_SIMTRANSPORT_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_SIMTRANSPORT_H

#include "runtime/transport/Transport.h"

#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>

namespace graphc::executor {

using VirtualTime = uint64_t; ///< nanoseconds

/// Events in order of time; equal times in order of a random number, so that no order is promised
/// by accident.
class EventQueue {
public:
  explicit EventQueue(uint64_t seed) : random(seed) {}
  void at(VirtualTime time, std::function<void()> action) {
    queue_.push({time, random(), std::move(action)});
  }
  void after(VirtualTime delay, std::function<void()> action) {
    at(now_ + delay, std::move(action));
  }
  bool empty() const { return queue_.empty(); }
  void runNext();
  VirtualTime time() const { return now_; }
  /// Uniform in [0, most].
  VirtualTime upTo(VirtualTime most) { return most ? random() % (most + 1) : 0; }
  bool chance(double probability) { return double(random() >> 11) * 0x1p-53 < probability; }
  std::mt19937_64 random;

private:
  struct Event {
    VirtualTime time;
    uint64_t tie;
    std::function<void()> action;
    bool operator<(const Event &other) const {
      return time != other.time ? time > other.time : tie > other.tie;
    }
  };
  std::priority_queue<Event> queue_;
  VirtualTime now_ = 0;
};

struct SimNetworkOptions {
  VirtualTime maxDelay = 50000;
  double loss = 0; ///< of a message; its channel then hangs until somebody aborts
};

class SimChannel;

class SimNetwork {
public:
  SimNetwork(EventQueue &events, const SimNetworkOptions &options);
  ~SimNetwork();
  /// `from` and `to` index tasks; `changed(port)` is called when what a port says may have changed.
  void addChannel(const transport::ChannelSpec &spec, uint32_t from, uint32_t to,
                  const std::string &name);
  /// The view of one task: a Transport whose ports are that task's ends.
  transport::Transport &task(uint32_t task);
  /// Messages to and from the task are lost from now on.
  void kill(uint32_t task);

  std::function<void(const transport::Port *)> changed;
  std::function<void(const std::string &channel, uint32_t from, uint32_t to)> lost;

private:
  friend class SimChannel;
  class TaskView;
  EventQueue &events_;
  SimNetworkOptions options_;
  std::map<transport::ChannelKey, std::unique_ptr<SimChannel>> channels_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<SimChannel *>>
      waitingCredits_; ///< from one task to another, in order
  std::map<uint32_t, std::unique_ptr<TaskView>> views_;
};

} // namespace graphc::executor
#endif
