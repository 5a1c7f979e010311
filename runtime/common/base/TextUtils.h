//===- TextUtils.h ----------------------------------------------------------------------------===//
//
// UTF-8, text of others before people read it, the word that was probably meant.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_BASE_TEXTUTILS_H
#define GRAPHC_RUNTIME_COMMON_BASE_TEXTUTILS_H

#include "absl/status/status.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphc::base {

/// Bytes of the well-formed UTF-8 character at the start of `text` (RFC 3629: no overlong form, no
/// surrogate); 0: there is none.
size_t utf8Length(std::string_view text);
/// Whether the byte is one behind the first of a character: no place to cut a text.
inline bool continuesUtf8(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// `text` as the content of a JSON string. What is no UTF-8, as in a file name of another encoding,
/// becomes U+FFFD.
std::string escapeJson(std::string_view text);
/// `text` as a JSON string literal with its quotes.
std::string quoteJson(std::string_view text);

/// `text` as text or an attribute's value of HTML or SVG.
std::string escapeHtml(std::string_view text);

/// The candidate nearest to `word` by edit distance, or "" where none is near (more than a third of
/// the letters differ).
std::string nearestWord(std::string_view word, const std::vector<std::string> &candidates);
/// `; did you mean "X"?` or "" where nothing is near.
std::string didYouMean(std::string_view word, const std::vector<std::string> &candidates);

inline constexpr size_t kMostForeignText = 4000; ///< bytes

/// What another process has sent for people to read: on one line, with control characters and what
/// is no UTF-8 written as \x1b, cut behind `most` bytes of it, which is said. It can neither move
/// the cursor nor fill a log. Applied where such text comes in.
std::string foreignText(std::string_view text, size_t most = kMostForeignText);

/// A status as another process has sent it. A code that there is not becomes Unknown.
absl::Status foreignStatus(int code, std::string_view message);

} // namespace graphc::base
#endif
