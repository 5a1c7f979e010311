//===- Text.h - text of others, before people read it -----------------------------------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_BASE_TEXT_H
#define GRAPHC_RUNTIME_BASE_TEXT_H

#include "absl/status/status.h"

#include <string>
#include <string_view>

namespace graphc::base {

inline constexpr size_t kMostForeignText = 4000; ///< bytes

/// What another process has sent for people to read: on one line, with control characters and what is no UTF-8 written as \x1b, cut
/// behind `most` bytes of it, which is said. It can neither move the cursor nor fill a log. Applied where such text comes in.
std::string foreignText(std::string_view text, size_t most = kMostForeignText);

/// A status as another process has sent it. A code that there is not becomes Unknown.
absl::Status foreignStatus(int code, std::string_view message);

} // namespace graphc::base
#endif
