#include "passes/place/SettingLoc.h"

using namespace mlir;

namespace graphc {

std::string getRuleSetting(size_t number) { return "placement " + std::to_string(number); }

void addSettingLoc(ModuleOp module, StringRef setting, StringRef file, unsigned line, unsigned column) {
  MLIRContext *context = module.getContext();
  Location place = FileLineColLoc::get(context, file, line, column);
  auto named = NameLoc::get(StringAttr::get(context, setting), place);
  SmallVector<Location> locs; // the first stays the one that is printed
  if (auto fused = dyn_cast<FusedLoc>(module.getLoc()))
    locs.append(fused.getLocations().begin(), fused.getLocations().end());
  else
    locs.push_back(module.getLoc());
  llvm::erase_if(locs, [&](Location loc) { // of a run before, whose text this module was
    auto other = dyn_cast<NameLoc>(loc);
    return other && other.getName() == setting;
  });
  locs.push_back(named);
  module->setLoc(FusedLoc::get(context, locs));
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
