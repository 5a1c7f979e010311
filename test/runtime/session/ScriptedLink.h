//===- ScriptedLink.h - a task's control link whose master is a list of messages ----*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_SESSION_SCRIPTEDLINK_H
#define GRAPHC_TEST_RUNTIME_SESSION_SCRIPTEDLINK_H

#include "runtime/service/ControlLink.h"

#include <vector>

namespace graphc::session {

/// Says what is in the script, the next order when the last one was answered, and lets the task go
/// at the end or at the first error.
class ScriptedLink final : public service::ControlLink {
public:
  explicit ScriptedLink(std::vector<service::ToTask> messages) : script_(std::move(messages)) {
    sayMore();
  }
  void send(service::FromTask message) override {
    bool failed = message.done().has_error(), answers = message.has_done();
    answered_.push_back(std::move(message));
    if (failed)
      finish(absl::AbortedError("the master has heard it"));
    else if (answers)
      sayMore();
  }
  void close() override {}
  const std::vector<service::FromTask> &sent() const { return answered_; }

private:
  void sayMore() {
    while (at_ < script_.size()) {
      deliver(script_[at_++]);
      if (script_[at_ - 1].has_order())
        return;
    }
    service::ToTask release;
    release.set_release(true);
    deliver(release);
  }
  std::vector<service::ToTask> script_;
  size_t at_ = 0;
  std::vector<service::FromTask> answered_;
};

} // namespace graphc::session
#endif
