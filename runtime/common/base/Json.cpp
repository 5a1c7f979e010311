#include "runtime/common/base/Json.h"
#include "runtime/common/base/TextUtils.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

namespace graphc::base {

const JsonValue *JsonValue::find(std::string_view key) const {
  for (const JsonMember &member : members)
    if (member.key == key)
      return &member.value;
  return nullptr;
}

std::string JsonValue::describe() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return boolean ? "true" : "false";
  case Kind::Integer:
    return absl::StrCat("the number ", integer);
  case Kind::Float:
    return absl::StrCat("the number ", number,
                        number == std::trunc(number) && std::abs(number) < 1e6 ? ".0" : "");
  case Kind::String:
    return absl::StrCat("the string ",
                        quoteJson(string.size() > 60 ? string.substr(0, 60) : string));
  case Kind::Array:
    return elements.empty() ? "an empty array" : "an array";
  case Kind::Object:
    return "an object";
  }
  return "?";
}

absl::Status errorAt(std::string_view file, JsonPosition at, std::string_view message) {
  return absl::InvalidArgumentError(
      absl::StrCat(absl::string_view(file.data(), file.size()), ":", at.line, ":", at.column, ": ",
                   absl::string_view(message.data(), message.size())));
}

namespace {

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Editors of other systems begin a file of UTF-8 with it.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class Parser {
public:
  Parser(std::string_view text, std::string_view file, const JsonLimits &limits)
      : text_(text), file_(file), limits_(limits) {}

  absl::StatusOr<JsonValue> parse() {
    JsonValue value;
    if (text_.starts_with(kByteOrderMark))
      offset_ = kByteOrderMark.size();
    skipSpace();
    if (offset_ == text_.size())
      return fail("the file is empty; expected a JSON object");
    if (absl::Status s = parseValue(value, 0); !s.ok())
      return s;
    skipSpace();
    if (offset_ != text_.size())
      return fail(absl::StrCat("unexpected ", here(), " after the end of the value"));
    return value;
  }

private:
  absl::Status fail(std::string_view message) const { return errorAt(file_, position_, message); }

  char peek() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }
  bool atEnd() const { return offset_ == text_.size(); }

  std::string here() const {
    if (atEnd())
      return "end of file";
    unsigned char c = static_cast<unsigned char>(text_[offset_]);
    if (c < 0x20 || c == 0x7F)
      return absl::StrFormat("control character 0x%02x", static_cast<unsigned>(c));
    size_t length = utf8Length(text_.substr(offset_));
    if (length == 0)
      return absl::StrFormat("byte 0x%02x, which is not UTF-8", static_cast<unsigned>(c));
    return absl::StrCat("'", absl::string_view(text_.data() + offset_, length), "'");
  }

  /// Steps over `bytes` bytes of one line.
  void advance(size_t bytes = 1, uint32_t columns = 1) {
    offset_ += bytes;
    position_.column += columns;
  }

  void skipSpace() {
    for (; !atEnd(); ++offset_) {
      char c = text_[offset_];
      if (c == '\n') {
        ++position_.line;
        position_.column = 1;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++position_.column;
      } else {
        return;
      }
    }
  }

  absl::Status parseValue(JsonValue &value, uint32_t depth) {
    if (depth > limits_.depth)
      return fail(absl::StrCat("nested deeper than ", limits_.depth, " levels"));
    if (++values_ > limits_.values)
      return fail(absl::StrCat("more than ", limits_.values, " values"));
    value.position = position_;
    switch (peek()) {
    case '{':
      return parseObject(value, depth);
    case '[':
      return parseArray(value, depth);
    case '"':
      value.kind = JsonValue::Kind::String;
      return parseString(value.string);
    case 't':
      value.boolean = true;
      return parseWord("true", value, JsonValue::Kind::Bool);
    case 'f':
      return parseWord("false", value, JsonValue::Kind::Bool);
    case 'n':
      return parseWord("null", value, JsonValue::Kind::Null);
    default:
      if (peek() == '-' || (peek() >= '0' && peek() <= '9'))
        return parseNumber(value);
      return fail(absl::StrCat("expected a value, found ", here()));
    }
  }

  absl::Status parseWord(std::string_view word, JsonValue &value, JsonValue::Kind kind) {
    if (text_.substr(offset_, word.size()) != word)
      return fail(absl::StrCat("expected a value, found ", here()));
    advance(word.size(), static_cast<uint32_t>(word.size()));
    value.kind = kind;
    return absl::OkStatus();
  }

  absl::Status parseObject(JsonValue &value, uint32_t depth) {
    value.kind = JsonValue::Kind::Object;
    advance();
    skipSpace();
    if (peek() == '}') {
      advance();
      return absl::OkStatus();
    }
    std::unordered_set<std::string> seen;
    while (true) {
      if (peek() != '"')
        return fail(
            absl::StrCat("expected a member name in double quotes, found ", here(),
                         peek() == '}' && !seen.empty() ? "; remove the comma before it" : ""));
      JsonMember &member = value.members.emplace_back();
      member.position = position_;
      if (absl::Status s = parseString(member.key); !s.ok())
        return s;
      if (!seen.insert(member.key).second)
        return errorAt(file_, member.position,
                       absl::StrCat("duplicate key ", quoteJson(member.key)));
      skipSpace();
      if (peek() != ':')
        return fail(absl::StrCat("expected ':' after ", quoteJson(member.key), ", found ", here()));
      advance();
      skipSpace();
      if (absl::Status s = parseValue(member.value, depth + 1); !s.ok())
        return s;
      skipSpace();
      if (peek() == '}') {
        advance();
        return absl::OkStatus();
      }
      if (peek() != ',')
        return fail(absl::StrCat("expected ',' or '}' in an object, found ", here()));
      advance();
      skipSpace();
    }
  }

  absl::Status parseArray(JsonValue &value, uint32_t depth) {
    value.kind = JsonValue::Kind::Array;
    advance();
    skipSpace();
    if (peek() == ']') {
      advance();
      return absl::OkStatus();
    }
    while (true) {
      if (absl::Status s = parseValue(value.elements.emplace_back(), depth + 1); !s.ok())
        return s;
      skipSpace();
      if (peek() == ']') {
        advance();
        return absl::OkStatus();
      }
      if (peek() != ',')
        return fail(absl::StrCat("expected ',' or ']' in an array, found ", here()));
      advance();
      skipSpace();
      if (peek() == ']')
        return fail(
            absl::StrCat("expected a value, found ", here(), "; remove the comma before it"));
    }
  }

  absl::Status parseHex4(uint32_t &code) {
    code = 0;
    for (int i = 0; i < 4; ++i) {
      char c = peek();
      uint32_t digit = c >= '0' && c <= '9'   ? uint32_t(c - '0')
                       : c >= 'a' && c <= 'f' ? uint32_t(c - 'a' + 10)
                       : c >= 'A' && c <= 'F' ? uint32_t(c - 'A' + 10)
                                              : 16u;
      if (digit == 16)
        return fail(absl::StrCat("expected four hexadecimal digits after \\u, found ", here()));
      code = code * 16 + digit;
      advance();
    }
    return absl::OkStatus();
  }

  absl::Status parseEscape(std::string &out) {
    advance();
    char c = peek();
    static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (size_t i = from.find(c); !atEnd() && i != std::string_view::npos) {
      out += to[i];
      advance();
      return absl::OkStatus();
    }
    if (c != 'u')
      return fail(absl::StrCat("unknown escape \\ followed by ", here()));
    advance();
    uint32_t code = 0;
    if (absl::Status s = parseHex4(code); !s.ok())
      return s;
    if (code >= 0xD800 && code < 0xE000) {
      uint32_t low = 0;
      if (code >= 0xDC00 || text_.substr(offset_, 2) != "\\u")
        return fail("half a surrogate pair in a \\u escape");
      advance(2, 2);
      if (absl::Status s = parseHex4(low); !s.ok())
        return s;
      if (low < 0xDC00 || low > 0xDFFF)
        return fail("half a surrogate pair in a \\u escape");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    appendUtf8(out, code);
    return absl::OkStatus();
  }

  absl::Status parseString(std::string &out) {
    JsonPosition start = position_;
    advance();
    while (true) {
      if (atEnd() || peek() == '\n')
        return errorAt(file_, start, "string without a closing '\"' on its line");
      char c = peek();
      if (c == '"') {
        advance();
        return absl::OkStatus();
      }
      if (c == '\\') {
        if (absl::Status s = parseEscape(out); !s.ok())
          return s;
        continue;
      }
      size_t length = utf8Length(text_.substr(offset_));
      if (static_cast<unsigned char>(c) < 0x20 || length == 0)
        return fail(absl::StrCat("unexpected ", here(), " in a string"));
      out.append(text_, offset_, length);
      advance(length);
    }
  }

  absl::Status parseNumber(JsonValue &value) {
    size_t start = offset_;
    auto digits = [&] {
      size_t count = 0;
      for (; peek() >= '0' && peek() <= '9'; ++count)
        advance();
      return count;
    };
    if (peek() == '-')
      advance();
    bool leadingZero = peek() == '0';
    size_t whole = digits();
    if (whole == 0 || (leadingZero && whole > 1))
      return errorAt(file_, value.position, "malformed number");
    bool isInteger = true;
    if (peek() == '.') {
      advance();
      isInteger = false;
      if (digits() == 0)
        return errorAt(file_, value.position, "malformed number: digits must follow the point");
    }
    if (peek() == 'e' || peek() == 'E') {
      advance();
      isInteger = false;
      if (peek() == '+' || peek() == '-')
        advance();
      if (digits() == 0)
        return errorAt(file_, value.position,
                       "malformed number: digits must follow the exponent sign");
    }
    const char *first = text_.data() + start, *last = text_.data() + offset_;
    if (isInteger && std::from_chars(first, last, value.integer).ec == std::errc()) {
      value.kind = JsonValue::Kind::Integer;
      value.number = static_cast<double>(value.integer);
      return absl::OkStatus();
    }
    value.kind = JsonValue::Kind::Float;
    if (std::from_chars(first, last, value.number).ec != std::errc() ||
        !std::isfinite(value.number))
      return errorAt(file_, value.position, "number out of range");
    return absl::OkStatus();
  }

  std::string_view text_, file_;
  const JsonLimits &limits_;
  size_t offset_ = 0;
  JsonPosition position_;
  uint32_t values_ = 0;
};

} // namespace

absl::StatusOr<JsonValue> parseJson(std::string_view text, std::string_view file,
                                    const JsonLimits &limits) {
  if (text.size() > limits.bytes)
    return errorAt(
        file, {},
        absl::StrCat("the text has ", text.size(), " bytes; at most ", limits.bytes, " are read"));
  return Parser(text, file, limits).parse();
}

} // namespace graphc::base
