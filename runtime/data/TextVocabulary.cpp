#include "runtime/data/TextVocabulary.h"

#include "runtime/common/base/StatusMacros.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <cstring>

namespace graphc::data {
namespace {

int hexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// The token of a line; empty where an escape is none.
std::string unescape(std::string_view line) {
  std::string token;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      token += line[i];
      continue;
    }
    if (++i == line.size())
      return "";
    switch (line[i]) {
    case 'n':
      token += '\n';
      break;
    case 'r':
      token += '\r';
      break;
    case 't':
      token += '\t';
      break;
    case '\\':
      token += '\\';
      break;
    case 'x':
      if (i + 2 >= line.size() || hexDigit(line[i + 1]) < 0 || hexDigit(line[i + 2]) < 0)
        return "";
      token += char(hexDigit(line[i + 1]) * 16 + hexDigit(line[i + 2]));
      i += 2;
      break;
    default:
      return "";
    }
  }
  return token;
}

} // namespace

uint32_t TextVocabulary::childOf(uint32_t node, uint8_t byte) const {
  if (node == 0)
    return first_[byte];
  uint32_t child = nodes_[node].child;
  while (child && nodes_[child].byte != byte)
    child = nodes_[child].sibling;
  return child;
}

absl::StatusOr<TextVocabulary> TextVocabulary::parse(std::string_view content,
                                                     const std::string &name) {
  auto bad = [&](size_t line, const std::string &why) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":", line, ": ", why));
  };
  if (content.empty() || content.size() > mostBytes)
    return absl::InvalidArgumentError(absl::StrCat(name, ": a vocabulary of ", content.size(),
                                                   " bytes, expected 1 to ", mostBytes,
                                                   ", one token a line"));
  TextVocabulary made;
  made.nodes_.emplace_back(); // the root
  for (size_t line = 1; !content.empty(); ++line) {
    const size_t end = std::min(content.find('\n'), content.size());
    std::string_view text = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (!text.empty() && text.back() == '\r')
      text.remove_suffix(1);
    if (text.empty())
      return bad(line, "an empty line; expected a token (a line break is \\n)");
    const std::string token = unescape(text);
    if (token.empty())
      return bad(line, "an escape that is none of \\n \\r \\t \\\\ \\xHH");
    if (token.size() > mostTokenBytes)
      return bad(line, absl::StrCat("a token of ", token.size(), " bytes, expected at most ",
                                    mostTokenBytes));
    uint32_t node = 0;
    for (char c : token) {
      const uint8_t byte = static_cast<uint8_t>(c);
      uint32_t next = made.childOf(node, byte);
      if (!next) {
        next = uint32_t(made.nodes_.size());
        made.nodes_.push_back({0, node ? made.nodes_[node].child : 0, -1, byte});
        (node ? made.nodes_[node].child : made.first_[byte]) = next;
      }
      node = next;
    }
    if (made.nodes_[node].token >= 0)
      return bad(line, absl::StrCat("the token of line ", made.nodes_[node].token + 1, " again"));
    made.nodes_[node].token = int32_t(made.count_++);
    made.longest_ = std::max(made.longest_, token.size());
  }
  return made;
}

absl::StatusOr<ArrayHeader> TextVocabulary::cut(base::ByteReader &text, const std::string &name,
                                                const ElementSink &sink) const {
  constexpr size_t piece = 1 << 16;
  std::string buffer;
  size_t at = 0; // what is cut of the buffer
  bool ended = false;
  std::vector<int32_t> tokens;
  uint64_t total = 0, line = 1, column = 1;
  auto pass = [&]() -> absl::Status {
    total += tokens.size();
    GRAPHC_RETURN_IF_ERROR(
        sink(reinterpret_cast<const uint8_t *>(tokens.data()), tokens.size() * sizeof(int32_t)));
    tokens.clear();
    return absl::OkStatus();
  };
  while (true) {
    if (!ended && buffer.size() - at < longest_) {
      buffer.erase(0, at);
      at = 0;
      const size_t kept = buffer.size();
      buffer.resize(kept + piece);
      GRAPHC_ASSIGN_OR_RETURN(size_t got, text.read(buffer.data() + kept, piece));
      buffer.resize(kept + got);
      ended = got < piece;
    }
    if (at == buffer.size() && ended)
      break;
    int32_t token = -1;
    size_t bytes = 0;
    uint32_t node = 0;
    for (size_t i = at; i < buffer.size(); ++i) {
      node = childOf(node, static_cast<uint8_t>(buffer[i]));
      if (!node)
        break;
      if (nodes_[node].token >= 0) {
        token = nodes_[node].token;
        bytes = i + 1 - at;
      }
    }
    if (token < 0)
      return absl::InvalidArgumentError(absl::StrCat(
          name, ":", line, ":", column, ": no token of the vocabulary begins with what is here, \"",
          absl::CEscape(absl::string_view(buffer).substr(at, 8)),
          "\"; add one for each byte that the text has, such as \\xHH"));
    tokens.push_back(token);
    for (; bytes; --bytes, ++at)
      if (buffer[at] == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    if (tokens.size() == piece)
      GRAPHC_RETURN_IF_ERROR(pass());
  }
  if (!tokens.empty())
    GRAPHC_RETURN_IF_ERROR(pass());
  return makeList(StoredType::I32, total, 1, name);
}

} // namespace graphc::data
