//===- ArgumentNames.cpp - what arguments of an imported function are called ------------------===//
#include "passes/import/ArgumentNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace graphc;

std::string TreePath::text() const {
  std::string text = root;
  for (const std::string &key : keys)
    text += "." + key;
  return text;
}

static StringRef takeWord(StringRef &rest) {
  StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  rest = rest.drop_front(word.size());
  return word;
}

std::optional<TreePath> graphc::parseTreePath(StringRef name) {
  TreePath path{takeWord(name).str(), {}};
  if (path.root.empty())
    return std::nullopt;
  while (!name.empty()) {
    StringRef key;
    if (name.consume_front(".")) {
      key = takeWord(name);
    } else if (name.consume_front("[")) {
      const char quote = name.empty() ? ' ' : name.front();
      if (quote == '\'' || quote == '"') {
        const size_t end = name.find(std::string(1, quote) + "]", 1);
        if (end == StringRef::npos)
          return std::nullopt;
        key = name.slice(1, end);
        name = name.drop_front(end + 2);
      } else {
        key = takeWord(name);
        if (!name.consume_front("]"))
          return std::nullopt;
      }
    }
    if (key.empty())
      return std::nullopt;
    path.keys.push_back(key.str());
  }
  return path;
}

std::optional<std::string> graphc::findArgumentName(BlockArgument argument) {
  auto named = argument.getLoc()->findInstanceOf<NameLoc>();
  return named ? std::optional(named.getName().str()) : std::nullopt;
}

std::string graphc::getArgumentName(BlockArgument argument) {
  return findArgumentName(argument).value_or("argument " + std::to_string(argument.getArgNumber()));
}
