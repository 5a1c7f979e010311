//===- StreamOutbox.h - the write side of a control stream --------------------------*- C++ -*-===//
//
// gRPC takes one write at a time; the outbox queues the rest, without a limit of its own: orders
// and answers are few and small, and results are counted by who makes them (ResultBacklog.h). Used
// by both ends. The stream may be finished only when no write is under way, which `close` arranges.
// No call out is made under the mutex.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_SERVICE_STREAMOUTBOX_H
#define GRAPHC_RUNTIME_SERVICE_STREAMOUTBOX_H

#include "runtime/common/base/Mutex.h"

#include "absl/base/thread_annotations.h"

#include <functional>
#include <list>

namespace graphc::service {

template <class Message> class StreamOutbox {
public:
  /// `write` starts one write (and must lead to `written`); `finish` ends the stream, once.
  StreamOutbox(std::function<void(const Message &)> write, std::function<void()> finish)
      : write_(std::move(write)), finish_(std::move(finish)) {}

  /// `first`: before all that waits, but never before what the stream begins with.
  void push(Message message, bool first = false) {
    std::list<Message> one;
    one.push_back(std::move(message));
    push(std::move(one), first);
  }
  /// Likewise of several, between which only what goes first gets.
  void push(std::list<Message> messages, bool first) {
    {
      base::MutexLock lock(mutex_);
      if (closed_)
        return;
      auto at = first ? queue_.begin() : queue_.end();
      if (first && !queue_.empty() && (writing_ || !open_))
        ++at;
      queue_.splice(at, std::move(messages));
      if (writing_ || !open_)
        return;
      writing_ = true;
    }
    write_(front());
  }

  /// The stream stands; writes what was queued.
  void open() { step(false); }
  void written() { step(true); }

  /// Nothing is written any more but, with `flush`, what is queued; then the stream is finished.
  void close(bool flush) {
    {
      base::MutexLock lock(mutex_);
      if (closed_)
        return;
      closed_ = true;
      if (!flush)
        queue_.resize(writing_ ? 1 : 0);
      if (writing_ || (open_ && !queue_.empty()))
        return;
      if (finished_)
        return;
      finished_ = true;
    }
    finish_();
  }

private:
  /// Outside the lock: it stays put until written(), as a list's references are stable, and only
  /// the one write under way reads it.
  const Message &front() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return queue_.front(); }
  void step(bool wrote) {
    bool finish = false;
    {
      base::MutexLock lock(mutex_);
      if (wrote) {
        writing_ = false;
        queue_.pop_front();
      } else {
        open_ = true;
      }
      if (finished_) // closed before it was open: nothing may be written after the finish
        return;
      if (!queue_.empty())
        writing_ = true;
      else if (closed_)
        finish = finished_ = true;
      else
        return;
    }
    if (finish)
      finish_();
    else
      write_(front());
  }

  const std::function<void(const Message &)> write_;
  const std::function<void()> finish_;
  base::Mutex mutex_;
  std::list<Message> queue_ ABSL_GUARDED_BY(mutex_);
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

} // namespace graphc::service
#endif
