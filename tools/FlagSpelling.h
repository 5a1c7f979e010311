//===- FlagSpelling.h - flags of LLVM's command lines with '-' and '_' alike --------*- C++ -*-===//
#ifndef GRAPHC_TOOLS_FLAGSPELLING_H
#define GRAPHC_TOOLS_FLAGSPELLING_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>
#include <string>

namespace graphc {

inline std::string hyphenate(llvm::StringRef name) {
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

/// The arguments with each flag's name replaced by what `spell` returns for it; empty keeps it.
/// Neither values nor what follows "--" change.
inline llvm::SmallVector<const char *>
spellFlags(int argc, char **argv, llvm::StringSaver &saver,
           llvm::function_ref<std::string(llvm::StringRef)> spell) {
  llvm::SmallVector<const char *> arguments(argv, argv + argc);
  for (const char *&argument : llvm::MutableArrayRef(arguments).drop_front()) {
    llvm::StringRef text = argument;
    if (text == "--")
      break;
    const llvm::StringRef dashes = text.take_while([](char c) { return c == '-'; });
    const llvm::StringRef name = text.drop_front(dashes.size()).split('=').first;
    if (dashes.empty() || dashes.size() > 2 || name.empty())
      continue;
    if (const std::string spelt = spell(name); !spelt.empty() && spelt != name)
      argument =
          saver.save((dashes + spelt + text.drop_front(dashes.size() + name.size())).str()).data();
  }
  return arguments;
}

/// Each flag as it is registered; unknown ones stay as they are.
inline llvm::SmallVector<const char *> spellRegisteredFlags(int argc, char **argv,
                                                            llvm::StringSaver &saver) {
  llvm::StringMap<llvm::StringRef> known;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    known.try_emplace(hyphenate(entry.first), entry.first);
  return spellFlags(argc, argv, saver,
                    [&](llvm::StringRef name) { return known.lookup(hyphenate(name)).str(); });
}

} // namespace graphc

#endif
