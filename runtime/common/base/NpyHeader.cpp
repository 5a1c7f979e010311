#include "runtime/common/base/NpyHeader.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <optional>

namespace graphc::base {
namespace {

constexpr int maxRank = 32;

/// A reader for the literal that NumPy writes: a dict of a string, a boolean and a tuple of
/// integers.
class HeaderParser {
public:
  HeaderParser(std::string_view text) : rest_(text) {}

  /// False: malformed.
  bool parse() {
    if (!eat('{'))
      return false;
    while (!eat('}')) {
      std::string key;
      if (!quoted(key) || !eat(':'))
        return false;
      if (key == "descr" && !descr) {
        std::string value;
        if (!quoted(value))
          return false;
        descr = value;
      } else if (key == "fortran_order" && !fortran) {
        if (word("True"))
          fortran = true;
        else if (word("False"))
          fortran = false;
        else
          return false;
      } else if (key == "shape" && !hasShape) {
        if (!tuple())
          return false;
        hasShape = true;
      } else {
        return false;
      }
      if (!eat(',') && (skip(), rest_.empty() || rest_[0] != '}'))
        return false;
    }
    skip();
    return rest_.empty() && descr && fortran && hasShape;
  }

  std::optional<std::string> descr;
  std::optional<bool> fortran;
  bool hasShape = false;
  std::vector<int64_t> shape;

private:
  void skip() {
    while (!rest_.empty() && absl::ascii_isspace(rest_[0]))
      rest_.remove_prefix(1);
  }
  bool eat(char c) {
    skip();
    if (rest_.empty() || rest_[0] != c)
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (rest_.substr(0, w.size()) != w)
      return false;
    rest_.remove_prefix(w.size());
    return true;
  }
  bool quoted(std::string &out) {
    skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"'))
      return false;
    size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos)
      return false;
    out = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool tuple() {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      skip();
      size_t digits = 0;
      while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits]))
        ++digits;
      int64_t size = 0;
      if (digits == 0 || !absl::SimpleAtoi(absl::string_view(rest_.data(), digits), &size) ||
          shape.size() == maxRank)
        return false;
      shape.push_back(size);
      rest_.remove_prefix(digits);
      if (!eat(',') && (skip(), rest_.empty() || rest_[0] != ')'))
        return false;
    }
    return true;
  }

  std::string_view rest_;
};

} // namespace

absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view begin) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(begin[i]); };
  if (begin.size() < 12 || begin.substr(0, npyMagic.size()) != npyMagic)
    return absl::InvalidArgumentError("it does not start with NumPy's magic number");
  uint8_t major = byte(6);
  if (major < 1 || major > 3)
    return absl::InvalidArgumentError(
        absl::StrCat("format version ", int(major), "; 1 to 3 are known"));
  size_t lengthBytes = major == 1 ? 2 : 4, length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(byte(8 + i)) << (8 * i);
  size_t start = 8 + lengthBytes;
  if (length > npyMostHeaderBytes - 12 || length > begin.size() - start)
    return absl::InvalidArgumentError("its header is longer than the file or 64 KiB");
  HeaderParser header(begin.substr(start, length));
  if (!header.parse())
    return absl::InvalidArgumentError(
        "malformed header; expected {'descr': …, 'fortran_order': …, 'shape': (…)}");
  return NpyHeader{*header.descr, *header.fortran, header.shape, start + length};
}

} // namespace graphc::base
