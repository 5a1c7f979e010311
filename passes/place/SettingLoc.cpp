#include "passes/place/SettingLoc.h"

using namespace mlir;

namespace graphc {

std::string getRuleSetting(size_t number) { return "placement " + std::to_string(number); }

void addSettingLoc(ModuleOp module, StringRef setting, StringRef file, unsigned line, unsigned column) {
  MLIRContext *context = module.getContext();
  Location place = FileLineColLoc::get(context, file, line, column);
  auto named = NameLoc::get(StringAttr::get(context, setting), place);
  module->setLoc(FusedLoc::get(context, {module.getLoc(), named})); // its first stays the one that is printed
}

std::optional<Location> findSettingLoc(ModuleOp module, StringRef setting) {
  std::optional<Location> found;
  module.getLoc()->walk([&](Location loc) {
    auto named = dyn_cast<NameLoc>(loc);
    if (!named || named.getName() != setting)
      return WalkResult::advance();
    found = named.getChildLoc();
    return WalkResult::interrupt();
  });
  return found;
}

Location getSettingLoc(ModuleOp module, StringRef setting) {
  return findSettingLoc(module, setting).value_or(module.getLoc());
}

} // namespace graphc
