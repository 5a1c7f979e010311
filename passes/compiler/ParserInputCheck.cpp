//===- ParserInputCheck.cpp - brackets, signs and aliases -------------------------------------===//
#include "passes/compiler/ParserInputCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace graphc {
namespace {

constexpr uint64_t kDeepest = 500; ///< of open brackets, those inside of aliases among them
/// Operators of an affine expression, which the parser and the expression's walks take one inside
/// of the other.
constexpr uint64_t kMostOperators = 1000;
/// Of a word that is no text in quotes. The sizes of a type are one, which the parser reads again
/// from each `x` on.
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
      : text_(text), mostBytes_(llvm::SaturatingAdd(
                         llvm::SaturatingMultiply<uint64_t>(text.size(), 64), uint64_t(1) << 28)) {}

  std::optional<TextExcess> run() {
    while (!excess_ && at_ < text_.size())
      step();
    return std::move(excess_);
  }

private:
  void step() {
    const char c = text_[at_];
    if (c == '"') {
      skipString();
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '-' || c == '+' || c == '*') {
      // `->` is an arrow; a sign in front of a number is one operator, and no expression.
      const bool arrow = text_.substr(at_).starts_with("->");
      at_ += arrow ? 2 : 1;
      if (!arrow)
        countOperator();
    } else if (text_.substr(at_).starts_with(">=")) {
      at_ += 2; // a relation of an integer set
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      operators_ = 0;
      reach(++depth_);
      ++at_;
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      depth_ -= depth_ > 0;
      ++at_;
    } else if ((c == '#' || c == '!') && at_ + 1 < text_.size() && isWord(text_[at_ + 1])) {
      takeName();
    } else if (isWord(c)) {
      takeWord();
    } else {
      operators_ *= c != ',';
      starts_ |= c == '\n';
      ++at_;
      return;
    }
    starts_ = false;
  }

  static bool isWord(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '%' || c == '@' || c == '^';
  }

  void skipString() {
    if (starts_ && depth_ == 0)
      close();
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
      at_ += text_[at_] == '\\';
    ++at_;
  }

  StringRef readWord() {
    const size_t begin = at_;
    while (at_ < text_.size() && isWord(text_[at_]))
      ++at_;
    if (at_ - begin > kLongestWord && !excess_)
      excess_ = {text_.data() + begin, "a word has " + std::to_string(at_ - begin) +
                                           " characters, expected at most " +
                                           std::to_string(kLongestWord)};
    return text_.slice(begin, at_);
  }

  /// An op's first word at the beginning of a line ends the alias before it; a value's has no
  /// dialect.
  void takeWord() {
    const bool begins = starts_ && depth_ == 0;
    StringRef word = readWord();
    if (begins && (word.contains('.') || word.starts_with("%") || word == "module"))
      close();
    uint64_t number = 0;
    if (word.starts_with("%") && text_.substr(at_).starts_with("#") &&
        startsWithNumber(text_.substr(at_ + 1), number) && number > kMostResults)
      excess_ = {text_.data() + at_, "no op has so many results"};
    if (word == "mod" || word == "floordiv" || word == "ceildiv")
      countOperator();
    if (StringRef rest = text_.substr(at_).ltrim(); // which ends MLIR 22's parser
        word == "array" && rest.consume_front("<") && rest.ltrim().starts_with("index"))
      excess_ = {text_.data() + at_ - word.size(),
                 "an array has elements of 'index', expected an integer or floating point type"};
  }

  static bool startsWithNumber(StringRef rest, uint64_t &number) {
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    if (digits.getAsInteger(10, number))
      number = UINT64_MAX; // too large for 64 bits
    return !digits.empty();
  }

  void takeName() {
    const bool begins = starts_ && depth_ == 0;
    const char *place = text_.data() + at_++;
    StringRef name = readWord();
    if (name.contains('.')) // a dialect's
      return;
    const StringRef key(place, name.size() + 1);
    if (begins && text_.substr(at_).ltrim().starts_with("=")) {
      close();
      open_ = key;
      opened_ = at_;
      own_ = {};
      return;
    }
    const Alias alias = aliases_.lookup(key);
    own_.bytes = llvm::SaturatingAdd(own_.bytes, alias.bytes);
    total_ = llvm::SaturatingAdd(total_, alias.bytes);
    if (total_ > mostBytes_)
      excess_ = {place, "aliases of aliases stand for more than " +
                            std::to_string(mostBytes_ >> 20) + " MiB of text here"};
    reach(depth_ + alias.depth, place);
  }

  void close() {
    if (!open_.empty())
      aliases_[open_] = {llvm::SaturatingAdd<uint64_t>(own_.bytes, at_ - opened_), own_.depth + 1};
    open_ = {};
  }

  void reach(uint64_t to) { reach(to, text_.data() + at_); }
  void reach(uint64_t to, const char *place) {
    own_.depth = std::max(own_.depth, to);
    if (to > kDeepest && !excess_)
      excess_ = {place, "brackets are nested too deeply here, expected at most " +
                            std::to_string(kDeepest) + " open ones"};
  }

  void countOperator() {
    if (++operators_ > kMostOperators && !excess_)
      excess_ = {text_.data() + at_ - 1, "an expression has more than " +
                                             std::to_string(kMostOperators) + " operators here"};
  }

  StringRef text_;
  const uint64_t mostBytes_; ///< that all aliases may stand for; beyond it lie doublings alone
  size_t at_ = 0;
  bool starts_ = true; ///< nothing but blanks stands before this on its line
  uint64_t depth_ = 0, operators_ = 0, total_ = 0;
  llvm::StringMap<Alias> aliases_;
  StringRef open_; ///< the alias whose text this is
  size_t opened_ = 0;
  Alias own_;
  std::optional<TextExcess> excess_;
};

} // namespace

std::optional<TextExcess> findTextExcess(StringRef text) { return Scan(text).run(); }

} // namespace graphc
