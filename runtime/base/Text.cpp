#include "runtime/base/Text.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace graphc::base {
namespace {
/// Bytes of the character of UTF-8 at `text[at]`, 0 where there is none that may be shown: controls of ASCII and of Unicode (C1, which
/// terminals obey as well), what is overlong, a surrogate or cut.
size_t shownBytes(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  unsigned first = byte(0);
  if (first < 0x80)
    return first >= 0x20 && first != 0x7f;
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool turnsAround = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  bool bad = code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code < 0xa0 ||
             code == 0x2028 || code == 0x2029 || turnsAround;
  return bad ? 0 : bytes;
}
} // namespace

std::string foreignText(std::string_view text, size_t most) {
  std::string shown;
  size_t at = 0;
  while (at < text.size() && at < most) {
    size_t bytes = shownBytes(text, at);
    if (bytes)
      shown.append(text, at, bytes);
    else if (text[at] == '\n')
      shown += "\\n";
    else
      absl::StrAppend(&shown, "\\x", absl::Hex(static_cast<unsigned char>(text[at]), absl::kZeroPad2));
    at += std::max<size_t>(1, bytes);
  }
  if (at < text.size())
    absl::StrAppend(&shown, "… (", text.size(), " bytes in all)");
  return shown;
}

absl::Status foreignStatus(int code, std::string_view message) {
  bool known = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return absl::Status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown, foreignText(message));
}

} // namespace graphc::base
