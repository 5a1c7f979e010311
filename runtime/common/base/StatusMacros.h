//===- StatusMacros.h - short hand for absl::Status ---------------------------------*- C++ -*-===//
//
// Errors in the runtime are absl::Status values; no exception crosses a folder. Use of the codes:
//   InvalidArgument     the user's input (file, flag, plan) is wrong        NotFound      a file or name does not exist
//   FailedPrecondition  right input, wrong moment or machine                DataLoss      a sum does not match
//   Aborted             another task failed first; see its message          Unavailable   a peer cannot be reached
//   DeadlineExceeded    a wait passed its deadline                          Cancelled     the user asked to stop
//   ResourceExhausted   memory, disk, descriptors                           Internal      a defect of this program
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_STATUSMACROS_H
#define GRAPHC_RUNTIME_COMMON_BASE_STATUSMACROS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "absl/strings/string_view.h"

#include <string>
#include <string_view>
#include <utility>

namespace graphc::base {

/// The distribution's abseil has its own string_view; StrCat takes only that one.
inline absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

/// "`what`: `strerror(error)`" with the fitting code.
absl::Status errnoStatus(std::string_view what, int error);

/// `status` with "`context`: " before its message; OK stays OK.
absl::Status annotate(const absl::Status &status, std::string_view context);

/// Message of a status for people: without the code's name where the message says enough, with it
/// where it is empty.
std::string describe(const absl::Status &status);

} // namespace graphc::base

#define GRAPHC_CONCAT_INNER(a, b) a##b
#define GRAPHC_CONCAT(a, b) GRAPHC_CONCAT_INNER(a, b)

#define GRAPHC_RETURN_IF_ERROR(expr)                                                               \
  do {                                                                                             \
    if (absl::Status graphcStatus = (expr); !graphcStatus.ok())                                    \
      return graphcStatus;                                                                         \
  } while (false)

#define GRAPHC_ASSIGN_OR_RETURN_INNER(tmp, lhs, expr)                                              \
  auto tmp = (expr);                                                                               \
  if (!tmp.ok())                                                                                   \
    return tmp.status();                                                                           \
  lhs = std::move(tmp).value()

/// GRAPHC_ASSIGN_OR_RETURN(auto x, f()): x = the value of f(), or return its error.
#define GRAPHC_ASSIGN_OR_RETURN(lhs, expr)                                                         \
  GRAPHC_ASSIGN_OR_RETURN_INNER(GRAPHC_CONCAT(graphcOr, __COUNTER__), lhs, expr)

#endif
