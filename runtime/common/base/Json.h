//===- Json.h - JSON text with positions, for files that people write ---------------*- C++ -*-===//
//
// A strict RFC 8259 reader that keeps the line and column of every value and member, so that an
// error can say where. Bounded: bytes, nesting and the number of values are limited before memory
// is spent on them. Duplicate member names are refused. Numbers without fraction and exponent that
// fit are integers, all others doubles.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_JSON_H
#define GRAPHC_RUNTIME_COMMON_BASE_JSON_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphc::base {

/// 1-based; the column counts code points.
struct JsonPosition {
  uint32_t line = 1;
  uint32_t column = 1;
};

struct JsonMember;

struct JsonValue {
  enum class Kind { Null, Bool, Integer, Float, String, Array, Object };
  Kind kind = Kind::Null;
  JsonPosition position;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0; ///< also set for Integer
  std::string string;
  std::vector<JsonValue> elements; ///< of an Array
  std::vector<JsonMember> members; ///< of an Object, in text order

  bool is(Kind k) const { return kind == k; }
  /// The member's value, or null where there is none.
  const JsonValue *find(std::string_view key) const;
  /// "a string", "the number 3", "an array", …, for error messages.
  std::string describe() const;
};

struct JsonMember {
  std::string key;
  JsonPosition position; ///< of the key
  JsonValue value;
};

struct JsonLimits {
  size_t bytes = 4u << 20;
  uint32_t depth = 32;
  uint32_t values = 1u << 20;
};

/// `file` is the name that errors carry: "cluster.json:3:14: …".
absl::StatusOr<JsonValue> parseJson(std::string_view text, std::string_view file,
                                    const JsonLimits &limits = {});

/// InvalidArgument "file:line:column: message".
absl::Status errorAt(std::string_view file, JsonPosition at, std::string_view message);

} // namespace graphc::base
#endif
