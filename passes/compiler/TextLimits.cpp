//===- TextLimits.cpp - brackets, signs and aliases ---------------------------------------------------------===//
#include "passes/compiler/TextLimits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
namespace {

constexpr uint64_t kDeepest = 500; ///< of open brackets, those inside of aliases among them
/// Operators of an affine expression, which the parser and the expression's walks take one inside of the other.
constexpr uint64_t kMostOperators = 1000;
/// Of a word that is no text in quotes. The sizes of a type are one, which the parser reads again from each `x` on.
constexpr size_t kLongestWord = 4096;
/// Behind `%name#`: the parser makes room for as many.
constexpr uint64_t kMostResults = uint64_t(1) << 24;

/// What one name stands for.
struct Alias {
  uint64_t bytes = 0, depth = 0;
};

class Scan {
public:
  explicit Scan(StringRef text)
      : text(text),
        mostBytes(llvm::SaturatingAdd(llvm::SaturatingMultiply<uint64_t>(text.size(), 64), uint64_t(1) << 28)) {}

  std::optional<TextExcess> run() {
    while (!excess && at < text.size())
      step();
    return std::move(excess);
  }

private:
  void step() {
    const char c = text[at];
    if (c == '"') {
      skipString();
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '-' || c == '+' || c == '*') {
      // `->` is an arrow; a sign in front of a number is one operator, and no expression.
      const bool arrow = text.substr(at).starts_with("->");
      at += arrow ? 2 : 1;
      if (!arrow)
        countOperator();
    } else if (text.substr(at).starts_with(">=")) {
      at += 2; // a relation of an integer set
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      operators = 0;
      reach(++depth);
      ++at;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      depth -= depth > 0;
      ++at;
    } else if ((c == '#' || c == '!') && at + 1 < text.size() && isWord(text[at + 1])) {
      takeName();
    } else if (isWord(c)) {
      takeWord();
    } else {
      operators *= c != ',';
      starts |= c == '\n';
      ++at;
      return;
    }
    starts = false;
  }

  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '%' || c == '@' || c == '^';
  }

  void skipString() {
    if (starts && depth == 0)
      close();
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
    ++at;
  }

  StringRef readWord() {
    const size_t begin = at;
    while (at < text.size() && isWord(text[at]))
      ++at;
    if (at - begin > kLongestWord && !excess)
      excess = {text.data() + begin, "a word has " + std::to_string(at - begin) + " characters, expected at most " +
                                         std::to_string(kLongestWord)};
    return text.slice(begin, at);
  }

  /// An op's first word at the beginning of a line ends the alias before it; a value's has no dialect.
  void takeWord() {
    const bool begins = starts && depth == 0;
    StringRef word = readWord();
    if (begins && (word.contains('.') || word.starts_with("%") || word == "module"))
      close();
    uint64_t number = 0;
    if (word.starts_with("%") && text.substr(at).starts_with("#") && startsWithNumber(text.substr(at + 1), number) &&
        number > kMostResults)
      excess = {text.data() + at, "no op has so many results"};
    if (word == "mod" || word == "floordiv" || word == "ceildiv")
      countOperator();
    if (StringRef rest = text.substr(at).ltrim(); // which ends MLIR 22's parser
        word == "array" && rest.consume_front("<") && rest.ltrim().starts_with("index"))
      excess = {text.data() + at - word.size(),
                "an array has elements of 'index', expected an integer or floating point type"};
  }

  static bool startsWithNumber(StringRef rest, uint64_t &number) {
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    if (digits.getAsInteger(10, number))
      number = UINT64_MAX; // too large for 64 bits
    return !digits.empty();
  }

  void takeName() {
    const bool begins = starts && depth == 0;
    const char *place = text.data() + at++;
    StringRef name = readWord();
    if (name.contains('.')) // a dialect's
      return;
    const StringRef key(place, name.size() + 1);
    if (begins && text.substr(at).ltrim().starts_with("=")) {
      close();
      open = key;
      opened = at;
      own = {};
      return;
    }
    const Alias alias = aliases.lookup(key);
    own.bytes = llvm::SaturatingAdd(own.bytes, alias.bytes);
    total = llvm::SaturatingAdd(total, alias.bytes);
    if (total > mostBytes)
      excess = {place,
                "aliases of aliases stand for more than " + std::to_string(mostBytes >> 20) + " MiB of text here"};
    reach(depth + alias.depth, place);
  }

  void close() {
    if (!open.empty())
      aliases[open] = {llvm::SaturatingAdd<uint64_t>(own.bytes, at - opened), own.depth + 1};
    open = {};
  }

  void reach(uint64_t to) { reach(to, text.data() + at); }
  void reach(uint64_t to, const char *place) {
    own.depth = std::max(own.depth, to);
    if (to > kDeepest && !excess)
      excess = {place,
                "brackets are nested too deeply here, expected at most " + std::to_string(kDeepest) + " open ones"};
  }

  void countOperator() {
    if (++operators > kMostOperators && !excess)
      excess = {text.data() + at - 1,
                "an expression has more than " + std::to_string(kMostOperators) + " operators here"};
  }

  StringRef text;
  const uint64_t mostBytes; ///< that all aliases may stand for; beyond it lie doublings alone
  size_t at = 0;
  bool starts = true; ///< nothing but blanks stands before this on its line
  uint64_t depth = 0, operators = 0, total = 0;
  llvm::StringMap<Alias> aliases;
  StringRef open; ///< the alias whose text this is
  size_t opened = 0;
  Alias own;
  std::optional<TextExcess> excess;
};

} // namespace

std::optional<TextExcess> findTextExcess(StringRef text) { return Scan(text).run(); }

} // namespace graphc
