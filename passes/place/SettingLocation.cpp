#include "passes/place/SettingLocation.h"

#include "dialects/graph/GraphDialect.h"

using namespace mlir;

namespace graphc {

using graph::GraphDialect;

std::string getRuleSetting(size_t number) { return "placement " + std::to_string(number); }

void addSettingLoc(ModuleOp module, StringRef setting, StringRef file, unsigned line,
                   unsigned column) {
  MLIRContext *context = module.getContext();
  NamedAttrList places(module->getAttrOfType<DictionaryAttr>(GraphDialect::kSettings));
  places.set(setting, FileLineColLoc::get(context, file, line, column));
  module->setAttr(GraphDialect::kSettings, places.getDictionary(context));
}

std::optional<Location> findSettingLoc(ModuleOp module, StringRef setting) {
  auto places = module->getAttrOfType<DictionaryAttr>(GraphDialect::kSettings);
  auto place = places ? places.getAs<LocationAttr>(setting) : LocationAttr();
  return place ? std::optional<Location>(place) : std::nullopt;
}

Location getSettingLoc(ModuleOp module, StringRef setting) {
  return findSettingLoc(module, setting).value_or(module.getLoc());
}

} // namespace graphc
