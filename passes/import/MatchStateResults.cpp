//===- MatchStateResults.cpp ------------------------------------------------------------------===//
//
// Which results of an imported function are next values of variables.
//
//===------------------------------------------------------------------------------------------===//
#include "passes/import/MatchStateResults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

using namespace mlir;
using namespace graphc;

static bool isNumber(StringRef key) { return llvm::all_of(key, llvm::isDigit); }

/// How well a result's path ends with a state's; 0: not at all.
static size_t rate(const TreePath &state, const TreePath &result) {
  ArrayRef<std::string> keys = result.keys;
  std::vector<std::string> withRoot = {state.root};
  llvm::append_range(withRoot, state.keys);
  for (ArrayRef<std::string> form : {ArrayRef(withRoot), ArrayRef(state.keys)}) {
    if (form.empty() || keys.size() < form.size() || keys.take_back(form.size()) != form)
      continue;
    // result[0] is the first result, and no state[0]
    if (keys.size() == form.size() && llvm::all_of(form, isNumber))
      continue;
    return 2 * form.size() + (llvm::all_of(keys.drop_back(form.size()), isNumber) ? 1 : 0);
  }
  return 0;
}

std::vector<int> graphc::matchStates(ArrayRef<StateLeaf> states, ArrayRef<StateLeaf> results,
                                     std::string &ambiguity) {
  struct Match {
    size_t rating;
    int state, result;
  };
  std::vector<Match> matches;
  for (auto [s, state] : llvm::enumerate(states))
    for (auto [r, result] : llvm::enumerate(results))
      if (state.path && result.path && state.type == result.type)
        if (size_t rating = rate(*state.path, *result.path))
          matches.push_back({rating, int(s), int(r)});
  llvm::sort(matches, [](const Match &a, const Match &b) {
    return std::tuple(b.rating, a.state, a.result) < std::tuple(a.rating, b.state, b.result);
  });
  std::vector<int> stateOf(results.size(), -1);
  std::vector<size_t> ratingOf(states.size(), 0);
  for (const Match &match : matches) {
    const int taken = stateOf[match.result];
    if (ratingOf[match.state] == match.rating || (taken >= 0 && ratingOf[taken] == match.rating)) {
      ambiguity = results[match.result].name + " may be the next value of " +
                  states[match.state].name + ", and " +
                  (taken >= 0 ? "of " + states[taken].name
                              : results[llvm::find(stateOf, match.state) - stateOf.begin()].name) +
                  " as well";
      return stateOf;
    }
    if (taken >= 0 || ratingOf[match.state])
      continue;
    stateOf[match.result] = match.state;
    ratingOf[match.state] = match.rating;
  }
  return stateOf;
}
