//===- VerifyBuffers.h - what the buffers of one program hold while its step is walked --------===//
//
// Which slots hold a message, which memory others use and until when. One step is one walk: nothing
// is held across its end but what is sent ahead.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYBUFFERS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYBUFFERS_H

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyHelpers.h"
#include "runtime/common/plan/VerifyQueues.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace graphc::plan::detail {

class BufferStates {
public:
  BufferStates(const Plan &plan, const Program &program)
      : plan_(plan), program_(program), shown_(shownBuffers(program)) {}

  /// Of each buffer, whatever the instructions do.
  absl::Status checkStorage() const;
  absl::Status exists(uint32_t buffer) const;
  bool overlap(uint32_t a, uint32_t b) const { return buffersMeet(program_, a, b); }

  /// May the buffer be read now (a slot: is it bound)? May it be written (not a constant, a slot or
  /// in flight)?
  absl::Status readable(uint32_t buffer);
  absl::Status writable(uint32_t buffer);

  /// Before the first instruction: what was sent ahead in the step before is under way.
  absl::Status sendAhead(uint32_t channel, uint32_t buffer);
  bool isAhead(uint32_t channel) const { return ahead_.contains(channel); }

  // What instructions ask of the state before them; apply() makes the one behind.
  absl::Status bind(const Channel &channel, uint32_t number, uint32_t buffer);
  absl::Status release(uint32_t channel);
  absl::Status acquire(uint32_t channel);
  absl::Status send(uint32_t channel, uint32_t buffer);
  void apply(const InstructionEffects &effects);

  /// A buffer that others use, by a channel: `until` is Done, Received or ReceivedThenDone.
  struct Loan {
    uint32_t channel, buffer;
    BufferHold until;
    /// A sum is being made in it, or with it: nobody here may even read it.
    bool isSum() const { return until != BufferHold::Done; }
  };
  const Loan *loanOf(uint32_t channel) const;
  /// The buffer of the channel's message, from its Receive to its Release.
  std::optional<uint32_t> messageOf(uint32_t channel) const;
  /// Whether a message of a zero-copy channel was in it.
  bool wasBorrowed(uint32_t buffer) const { return borrowed_.contains(buffer); }

  /// Nothing is held or under way at the step's end but what is sent ahead.
  absl::Status checkEnd() const;
  /// Likewise of one channel, where an iteration ends.
  absl::Status checkIterationEnd(uint32_t channel) const;
  void countVariables(std::vector<VariableUse> &uses) const;

private:
  /// May it be read, or, with `write`, written?
  absl::Status notLent(uint32_t buffer, bool write) const;

  const Plan &plan_;
  const Program &program_;
  const std::set<uint32_t> shown_; // their messages are released at the step's end
  std::set<uint32_t> filled_; // slot buffers that hold a message now
  std::map<uint32_t, uint32_t> boundBuffer_; // channel → buffer of its Receive not yet released
  // channels of messages that are shown, once their Release has come
  std::set<uint32_t> releasedAtEnd_;
  std::vector<Loan> loans_;
  // channel → buffer of its SendStart ahead: lent when a step begins and ends
  std::map<uint32_t, uint32_t> ahead_;
  std::map<uint32_t, bool> touchedVariables_; // → written?
  std::map<uint32_t, bool> acquired_; // outgoing buffers of this step → sent already?
  std::set<uint32_t> slotsTaken_; // channels of their acquires
  std::set<uint32_t> borrowed_; // slot buffers that a zero-copy channel's message was bound to
};

} // namespace graphc::plan::detail
#endif
