//===- WaitDurationText.h - how a wait is told while it lasts -----------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_WAITDURATIONTEXT_H
#define GRAPHC_RUNTIME_COMMON_BASE_WAITDURATIONTEXT_H

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include <algorithm>
#include <string>

namespace graphc::base {

/// Behind "waiting for …": " for 6s; at most 54s more", in whole seconds; in the first one only the
/// bound.
inline std::string waitSoFar(absl::Duration waited, absl::Duration left) {
  const absl::Duration second = absl::Seconds(1);
  return absl::StrCat(
      waited < second ? "" : " for " + absl::FormatDuration(absl::Trunc(waited, second)),
      "; at most ", absl::FormatDuration(std::max(absl::Ceil(left, second), second)), " more");
}

} // namespace graphc::base
#endif
