// Types, sizes, data and locations in the plan's terms.
#include "dialects/graph/DiscardableAttributes.h"
#include "passes/emit/PlanTables.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;

namespace graphc {

plan::DataType getDataType(Type element) {
  if (element.isInteger(1))
    return plan::I1;
  if (element.isInteger(8))
    return element.isUnsignedInteger() ? plan::U8 : plan::I8;
  if (element.isUnsignedInteger(32))
    return plan::U32;
  if (element.isBF16())
    return plan::BF16;
  if (element.isInteger(32))
    return plan::I32;
  if (element.isInteger(64))
    return plan::I64;
  if (element.isF32())
    return plan::F32;
  if (element.isF64())
    return plan::F64;
  return plan::DATA_TYPE_INVALID;
}

void setType(ShapedType type, plan::TensorType &out) {
  out.set_dtype(getDataType(type.getElementType()));
  for (int64_t size : type.getShape())
    out.add_shape(size);
}

std::string getRawBytes(DenseElementsAttr value) {
  Type element = value.getElementType();
  uint64_t size = uint64_t(graph::getElementBytes(element));
  std::string bytes;
  auto append = [&](const APInt &bits) {
    uint64_t word = bits.getZExtValue();
    // x86-64 and AArch64 are little endian, as the plan is
    bytes.append(reinterpret_cast<const char *>(&word), size);
  };
  auto appendAll = [&](auto values) {
    for (auto item : values) {
      if constexpr (std::is_same_v<decltype(item), APFloat>)
        append(item.bitcastToAPInt());
      else
        append(item);
      if (value.isSplat()) // however many there are, they stay one
        break;
    }
  };
  if (isa<FloatType>(element))
    appendAll(value.getValues<APFloat>());
  else
    appendAll(value.getValues<APInt>());
  return bytes;
}

/// The operation's name with the scope or call around it, "MLP/Dense_0/dot_general"; empty where it
/// has no scope, or is one that no plan's text can hold.
static StringRef findScopedName(Location location) {
  auto named = location->findInstanceOf<NameLoc>();
  StringRef name = named ? named.getName().getValue() : "";
  const bool fits = graph::findNameDefect(name, plan::PlanLimits::nameBytes / 2).empty();
  return fits && name.contains('/') ? name : "";
}

std::string getLocationText(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    std::string name = llvm::sys::path::filename(file.getFilename().getValue()).str();
    // what no plan's text can hold
    if (!graph::findNameDefect(name, plan::PlanLimits::nameBytes).empty())
      name = "<model>";
    text = (name + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str();
    return WalkResult::interrupt();
  });
  if (StringRef name = findScopedName(location); !text.empty() && !name.empty())
    text += " " + name.str();
  return text;
}

} // namespace graphc
