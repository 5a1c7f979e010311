#include "passes/place/PlacementLog.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {

/// TensorFlow always writes a replica, and it is always 0.
static std::string getLongName(graph::DeviceAttr device) {
  std::string text = device.getJob().empty() ? "/job:*" : "/job:" + device.getJob().str();
  text += "/replica:0/task:" +
          (device.getTask() < 0 ? std::string("*") : std::to_string(device.getTask()));
  return text + "/device:" + device.getKind().str() + ":" + std::to_string(device.getIndex());
}

void logPlacement(ModuleOp module, llvm::raw_ostream &os) {
  for (auto variable : module.getOps<graph::VariableOp>())
    if (auto device = graph::getDevice(variable))
      os << variable.getSymName() << ": (variable): " << getLongName(device) << '\n';
  for (auto func : module.getOps<graph::FuncOp>()) {
    llvm::StringMap<unsigned> seen;
    for (Operation &op : func.getBodyBlock()) {
      auto device = graph::getDevice(&op);
      if (!device || isa<graph::ReturnOp>(op))
        continue;
      StringRef kind = op.getName().stripDialect();
      unsigned place = seen[kind]++;
      os << func.getSymName() << '/' << kind;
      if (place)
        os << '_' << place;
      os << ": (" << kind << "): " << getLongName(device) << '\n';
    }
  }
}

} // namespace graphc
