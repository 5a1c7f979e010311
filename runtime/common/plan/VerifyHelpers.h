//===- VerifyHelpers.h - what the files of the verifier share -----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_VERIFYHELPERS_H
#define GRAPHC_RUNTIME_COMMON_PLAN_VERIFYHELPERS_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <set>
#include <string>
#include <vector>

namespace graphc::plan::detail {

template <typename... Args> absl::Status invalid(const Args &...args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

/// Of a thing of the plan that people read of: neither empty nor endless, without control
/// characters, and not in `seen`, if given.
absl::Status checkName(absl::string_view what, const std::string &name,
                       std::set<std::string> *seen);

/// An element type, and a shape whose bytes can be counted.
absl::Status checkType(const TensorType &type, absl::string_view what);

/// Components, sources and what is done to samples.
absl::Status checkDatasets(const Plan &plan);

/// Code objects and kernels. Whether a library call is one of its kernel that kernel's registry
/// says.
absl::Status checkKernels(const Plan &plan);

/// `add` sums `what`, so many bytes: (read_write, read), both of as many, or of a divisor.
absl::Status checkAddition(const Kernel &add, uint64_t bytes, const std::string &what);

/// Where one side of a channel acts on it: outside of loops, or all in one.
struct SideUse {
  bool any = false;
  int loop = -1; ///< the instruction that repeats it
  uint32_t times = 0; ///< of that loop; 0: in none
};

/// What the two sides of each channel did, gathered while programs are walked and compared at the
/// end.
struct ChannelUse {
  uint32_t sends = 0; ///< SendStart in one step of one instance, or in one iteration
  uint32_t receives = 0; ///< Receive or Aggregate, likewise
  SideUse sender, receiver;
};

/// How lanes touch a variable within a phase; decides who must lock.
struct VariableUse {
  uint32_t lanes = 0;
  bool written = false;
  bool unlocked = false; ///< by a program without locks_variables
};

/// One program: its buffers, its instructions in order, its ports. `channels` has an entry a plan
/// channel, `variables` one a plan variable (of this phase).
absl::Status verifyProgram(const Plan &plan, uint32_t index, std::vector<ChannelUse> &channels,
                           std::vector<VariableUse> &variables);

} // namespace graphc::plan::detail
#endif
