#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>

namespace graphc::base {

size_t utf8Length(std::string_view text) {
  auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto tail = [&](size_t i) { return i < text.size() && continuesUtf8(text[i]); };
  const unsigned first = at(0), second = at(1);
  if (first < 0x80)
    return text.empty() ? 0 : 1;
  if (first >= 0xc2 && first <= 0xdf)
    return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return tail(1) && tail(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second > 0x8f;
    return tail(1) && tail(2) && tail(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string escapeJson(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const unsigned char c = text[0];
    const size_t bytes = utf8Length(text);
    if (!bytes)
      out += "\xef\xbf\xbd"; // U+FFFD
    else if (c == '"' || c == '\\')
      out += '\\', out += char(c);
    else if (c == '\n' || c == '\t' || c == '\r')
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
    else if (c < 0x20 || c == 0x7f)
      absl::StrAppendFormat(&out, "\\u%04x", c);
    else
      out += text.substr(0, bytes);
    text.remove_prefix(bytes ? bytes : 1);
  }
  return out;
}

std::string quoteJson(std::string_view text) { return '"' + escapeJson(text) + '"'; }

std::string escapeHtml(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c == '&' || c == '<' || c == '>' || c == '"')
      out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
    else
      out += c;
  return out;
}

std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(1, word.size() / 3) + 1;
  if (word.size() > 64)
    return best;
  for (const std::string &candidate : candidates) {
    // Optimal string alignment: a swap of neighbours ("stragety") counts as one edit.
    std::vector<std::vector<size_t>> d(word.size() + 1, std::vector<size_t>(candidate.size() + 1));
    for (size_t i = 0; i <= word.size(); ++i)
      for (size_t j = 0; j <= candidate.size(); ++j) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                            d[i - 1][j - 1] + (word[i - 1] != candidate[j - 1])});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1])
          d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    if (d[word.size()][candidate.size()] < bestDistance) {
      bestDistance = d[word.size()][candidate.size()];
      best = candidate;
    }
  }
  return best;
}

std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates) {
  std::string near = nearestWord(word, candidates);
  return near.empty() ? "" : absl::StrCat("; did you mean ", quoteJson(near), "?");
}

namespace {
/// Bytes of the character of UTF-8 at the start of `text`, 0 where there is none that may be shown:
/// controls of ASCII and of Unicode (C1, which terminals obey as well), line separators, and what
/// turns the direction of writing around.
size_t shownBytes(std::string_view text) {
  const size_t bytes = utf8Length(text);
  const unsigned first = static_cast<unsigned char>(text[0]);
  if (bytes <= 1)
    return first >= 0x20 && first < 0x7f;
  uint32_t code = first & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  bool turnsAround = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  bool bad = code < 0xa0 || code == 0x2028 || code == 0x2029 || turnsAround;
  return bad ? 0 : bytes;
}
} // namespace

std::string foreignText(std::string_view text, size_t most) {
  std::string shown;
  size_t at = 0;
  while (at < text.size() && at < most) {
    size_t bytes = shownBytes(text.substr(at));
    if (bytes)
      shown.append(text, at, bytes);
    else if (text[at] == '\n')
      shown += "\\n";
    else
      absl::StrAppend(&shown, "\\x",
                      absl::Hex(static_cast<unsigned char>(text[at]), absl::kZeroPad2));
    at += std::max<size_t>(1, bytes);
  }
  if (at < text.size())
    absl::StrAppend(&shown, "… (", text.size(), " bytes in all)");
  return shown;
}

absl::Status foreignStatus(int code, std::string_view message) {
  bool known = code > 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return absl::Status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      foreignText(message));
}

} // namespace graphc::base
