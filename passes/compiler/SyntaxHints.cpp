//===- SyntaxHints.cpp - notes on common mistakes in hand-written MLIR ------------------------===//
//
// By MLIR's message and the text around its place; nothing is parsed again.
//
//===------------------------------------------------------------------------------------------===//
#include "passes/compiler/SyntaxHints.h"

#include "dialects/graph/NameSuggestions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"

namespace graphc {
namespace {

bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The line of `text` that has `offset`.
llvm::StringRef lineAt(llvm::StringRef text, size_t offset) {
  const size_t begin = text.take_front(offset).rfind('\n') + 1; // npos + 1 is 0
  return text.substr(begin).take_until([](char c) { return c == '\n'; });
}

/// The first word from `offset` on, of its line.
llvm::StringRef wordAt(llvm::StringRef text, size_t offset) {
  return text.substr(offset).ltrim(" \t").take_while(isWordPart);
}

/// Of 1e-3, .5 and 0.5f around that place, how such a number is written in MLIR; else "".
std::string spellNumber(llvm::StringRef text, size_t offset) {
  auto isPart = [](char c) {
    return llvm::isAlnum(c) || c == '.' || c == '+' || c == '-' || c == '_';
  };
  size_t begin = offset, end = offset;
  while (begin > 0 && isPart(text[begin - 1]))
    --begin;
  while (end < text.size() && isPart(text[end]))
    ++end;
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("^([-+]?)([0-9]*)(\\.[0-9]*)?([eE][-+]?[0-9]+)?[fF]?$")
           .match(text.slice(begin, end), &parts) ||
      (parts[2].empty() && parts[3].size() < 2))
    return "";
  if (!text.slice(begin, end).ends_with_insensitive("f") && !parts[2].empty() &&
      (!parts[3].empty() || parts[4].empty())) // an integer, or as it should be
    return "";
  return (parts[1] + (parts[2].empty() ? "0" : parts[2]) + (parts[3].size() < 2 ? ".0" : parts[3]) +
          parts[4])
      .str();
}

/// `role = train`, `optimizer = adam`.
std::string hintBareWord(llvm::StringRef word) {
  if (word == "True" || word == "False")
    return "booleans are written true and false";
  if (word == "train" || word == "eval" || word == "predict")
    return ("a role is written #graph.role<" + word + ">").str();
  if (!graph::isAttributeMnemonic(word))
    return "";
  return ("attributes of the graph dialect are written #graph." + word + "<…>").str();
}

/// `optimizer = #graph.adam` without parameters.
std::string hintMissingParameters(llvm::StringRef text, size_t offset) {
  const llvm::StringRef before = text.take_front(offset).rtrim();
  const size_t begin = before.rfind("#graph.");
  if (begin == llvm::StringRef::npos)
    return "";
  const llvm::StringRef name = before.substr(begin);
  if (!llvm::all_of(name.drop_front(7), isWordPart))
    return "";
  const llvm::StringRef parameters =
      llvm::StringSwitch<llvm::StringRef>(name.drop_front(7))
          .Case("momentum", "learning_rate = 0.01, momentum = 0.9")
          .Cases({"sgd", "adam", "adamw", "adagrad", "rmsprop"}, "learning_rate = 0.001")
          .Default("…");
  return (name + " has parameters: " + name + "<" + parameters + ">").str();
}

/// Of an operation that has no types behind it.
std::string hintMissingTypes(llvm::StringRef text, size_t offset) {
  llvm::SmallVector<llvm::StringRef> parts;
  const llvm::StringRef line = lineAt(text, offset);
  if (!llvm::Regex("(graph\\.[a-z_0-9]+)").match(line, &parts))
    return "";
  if (llvm::is_contained({"graph.func", "graph.variable", "graph.dataset", "graph.scope"},
                         parts[1]))
    return "";
  llvm::SmallVector<llvm::StringRef> variable, declared;
  if (llvm::Regex("graph\\.read @([A-Za-z_][A-Za-z_0-9.$]*)").match(line, &variable) &&
      llvm::Regex("graph\\.variable @" + llvm::Regex::escape(variable[1]) + " : ([^=\n]*[^= \n])")
          .match(text, &declared))
    return (parts[1] + " @" + variable[1] + " ends in the variable's type: " + parts[1] + " @" +
            variable[1] + " : " + declared[1])
        .str();
  return (parts[1] +
          " ends in ':' and types, such as ': tensor<2x3xf32>' or ': (tensor<2x4xf32>, "
          "tensor<4x3xf32>) -> tensor<2x3xf32>'; docs/dialects/graph.md has an example of "
          "each operation")
      .str();
}

/// A value of one type where the operation expects another.
std::string hintOtherType(llvm::StringRef message) {
  llvm::SmallVector<llvm::StringRef> types;
  if (!llvm::Regex("'tensor<([^']*)>' vs 'tensor<([^']*)>'").match(message, &types))
    return "";
  auto ofElements = [](llvm::StringRef type) {
    return type.rsplit('x').second.empty() ? type : type.rsplit('x').second;
  };
  if (ofElements(types[1]) != ofElements(types[2]))
    return "graph.convert converts a tensor to another element type";
  if (types[1].count('x') == types[2].count('x')) // of one rank: a size is wrong
    return "";
  return "operands are not broadcast implicitly: graph.bias_add adds a vector to each row, and "
         "graph.broadcast_in_dim makes a tensor of another shape";
}

/// `graph.constant 1.0e-3 : tensor<f32>`, which the parser refuses behind the type.
SyntaxHint hintBareConstant(llvm::StringRef text, size_t offset) {
  const llvm::StringRef before = text.take_front(offset).rtrim();
  const llvm::StringRef line = lineAt(text, before.empty() ? 0 : before.size() - 1);
  llvm::SmallVector<llvm::StringRef> parts;
  if (!llvm::Regex("([-+]?[0-9][0-9.eE+-]*) *: *(tensor<[^ ]*>)").match(line, &parts))
    return {};
  return {("a constant is written dense<" + parts[1] + "> : " + parts[2]).str(),
          size_t(parts[1].data() - text.data())};
}

} // namespace

SyntaxHint findSyntaxHint(llvm::StringRef message, llvm::StringRef text, size_t offset) {
  if (offset > text.size())
    return {};
  if (std::string number = spellNumber(text, offset); !number.empty())
    return {"such a number is written " + number, offset};
  if (message == "expected attribute value")
    return {hintBareWord(wordAt(text, offset)), offset};
  if (message == "expected SSA operand" && text.substr(offset).ltrim(" \t").starts_with("@"))
    return {("@" + text.substr(offset).ltrim(" \t").drop_front().take_while(isWordPart) +
             " is a variable; an operand is its value: %v = graph.read @NAME : TYPE")
                .str(),
            offset};
  if (message == "expected '<'")
    return {hintMissingParameters(text, offset), offset};
  if (message == "expected ':'")
    return {hintMissingTypes(text, offset), offset};
  if (message.starts_with("use of value ") && message.contains(" expects different type "))
    return {hintOtherType(message), offset};
  if (message.ends_with(" not valid for specified type"))
    return hintBareConstant(text, offset);
  if (message.starts_with("block with no terminator") && lineAt(text, offset).contains("graph."))
    return {"a graph.func ends with graph.return, a graph.scope with graph.yield", offset};
  return {};
}

} // namespace graphc
