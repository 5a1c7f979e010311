#include "tools/graphrun/check/LinkTimer.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace graphc::graphrun {
namespace {
using transport::PollState;
using transport::Transport;

constexpr int kRoundTrips = 120, kRounds = 6;
constexpr uint32_t kMostMessages = 1 << 16;
// Between two messages of a step a lane computes or sleeps: the next one has to wake it.
constexpr auto kPause = std::chrono::microseconds(300);

/// What near says before each round: echo this word; I send so many large messages; send me so
/// many; this was all.
enum Kind : uint32_t { kEcho = 1, kTake, kGive, kEnd };
struct Word {
  Kind kind;
  uint32_t count;
};
static_assert(sizeof(Word) == 8);

/// One end: its ports, a large buffer, and the first thing that went wrong.
class End {
public:
  End(Transport &transport, const std::vector<transport::ChannelSpec> &out,
      const std::vector<transport::ChannelSpec> &in, absl::Duration limit)
      : transport_(transport), limit_(limit), wordOut_(transport.sender(out[0].key)),
        largeOut_(transport.sender(out[1].key)), wordIn_(transport.receiver(in[0].key)),
        largeIn_(transport.receiver(in[1].key)),
        large_(static_cast<char *>(std::aligned_alloc(64, (out[1].bytes + 63) / 64 * 64)),
               &std::free) {
    std::memset(large_.get(), 0, out[1].bytes);
  }
  bool say(Word word) { return send(*wordOut_, &word); }
  bool hear(Word *word) { return receive(*wordIn_, word, sizeof *word); }
  bool sendLarge(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      if (!send(*largeOut_, large_.get()))
        return false;
    return true;
  }
  bool receiveLarge(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
      if (!receive(*largeIn_, nullptr, 0))
        return false;
    return true;
  }
  absl::Status status() const {
    if (absl::Status broken = transport_.status(); !broken.ok())
      return broken;
    return absl::DeadlineExceededError(
        absl::StrCat("a message did not arrive within ", absl::FormatDuration(limit_)));
  }

private:
  /// Calls `step` until it is no longer Pending; false where it is not Ready then, or too late.
  template <class Step> bool until(transport::Port &port, Step step) {
    absl::Time deadline = absl::Now() + limit_;
    PollState state;
    while ((state = step()) == PollState::Pending && absl::Now() < deadline)
      port.wait(absl::Milliseconds(200));
    return state == PollState::Ready;
  }
  bool send(transport::SendPort &port, const void *data) {
    return until(port, [&] { return port.start(data, 0); }) &&
           until(port, [&] { return port.done(); });
  }
  bool receive(transport::RecvPort &port, void *to, size_t bytes) {
    const void *data = nullptr;
    if (!until(port, [&] { return port.poll(&data); }))
      return false;
    if (bytes)
      std::memcpy(to, data, bytes);
    port.release();
    return true;
  }

  Transport &transport_;
  const absl::Duration limit_;
  transport::SendPort *wordOut_, *largeOut_;
  transport::RecvPort *wordIn_, *largeIn_;
  std::unique_ptr<char, decltype(&std::free)> large_;
};

template <class Work> double secondsOf(Work work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best rate of one direction, in Gbit/s. The first round is short: a link may be slow.
double timeRate(End &end, Kind direction, uint64_t bytes, double budget, bool *good) {
  uint32_t count = 2;
  double best = 0, spent = 0;
  for (int round = 0; round < kRounds && *good && (round < 2 || spent < budget); ++round) {
    double took = secondsOf([&] {
      Word answer;
      *good = end.say({direction, count}) &&
              (direction == kTake ? end.sendLarge(count) && end.hear(&answer)
                                  : end.receiveLarge(count));
    });
    best = std::max(best, 8e-9 * double(bytes) * count / took);
    spent += took;
    double more = count * budget / (kRounds - 2) / std::max(took, 1e-6);
    count =
        static_cast<uint32_t>(std::clamp(more, 1.0, double(std::min(kMostMessages, count * 32))));
  }
  return best;
}
} // namespace

absl::StatusOr<LinkFigures> timeLink(Transport &near, const TimedChannels &channels, double seconds,
                                     absl::Duration limit) {
  End end(near, channels.there, channels.back, limit);
  std::vector<double> trips;
  bool good = true;
  double spent = 0;
  for (int i = 0; i < kRoundTrips && good && (i < 5 || spent < seconds / 4); ++i) {
    std::this_thread::sleep_for(kPause);
    Word answer;
    trips.push_back(secondsOf([&] { good = end.say({kEcho, 0}) && end.hear(&answer); }));
    spent += trips.back() + std::chrono::duration<double>(kPause).count();
  }
  LinkFigures figures;
  std::sort(trips.begin(), trips.end());
  figures.latencyMicroseconds = trips[trips.size() / 4] / 2 * 1e6;
  if (good)
    figures.there = timeRate(end, kTake, channels.there[1].bytes, seconds * 3 / 8, &good);
  if (good)
    figures.back = timeRate(end, kGive, channels.back[1].bytes, seconds * 3 / 8, &good);
  if (!good || !end.say({kEnd, 0}))
    return end.status();
  return figures;
}

absl::Status answerLink(Transport &far, const TimedChannels &channels, absl::Duration limit) {
  End end(far, channels.back, channels.there, limit);
  Word word;
  while (end.hear(&word)) {
    if (word.kind == kEnd)
      return absl::OkStatus();
    if (word.kind < kEcho || word.kind > kEnd || word.count > kMostMessages)
      return absl::DataLossError("the other end sent a word that is none of the measurement's");
    bool good = word.kind == kEcho   ? end.say(word)
                : word.kind == kTake ? end.receiveLarge(word.count) && end.say(word)
                                     : end.sendLarge(word.count);
    if (!good)
      break;
  }
  return end.status();
}

} // namespace graphc::graphrun
