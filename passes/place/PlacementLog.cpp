#include "passes/place/PlacementLog.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;

namespace graphc {

/// TensorFlow always writes a replica, and it is always 0.
static std::string getLongName(graph::DeviceAttr device) {
  std::string text = device.getJob().empty() ? "/job:*" : "/job:" + device.getJob().str();
  text += "/replica:0/task:" + (device.getTask() < 0 ? std::string("*") : std::to_string(device.getTask()));
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

void remarkOnImbalance(ModuleOp module, const Imbalance &found, VariablePolicy policy, graph::DeviceAttr fullest,
                       bool maySplit) {
  auto mebibytes = [](int64_t size) { return llvm::formatv("{0:F1} MiB", double(size) / (1 << 20)).str(); };
  bool balancing = found.bytes - found.balanced >= kWorthARemark;
  bool splitting = maySplit && std::min(found.bytes, found.balanced) - found.split >= kWorthARemark;
  if (!balancing && !splitting)
    return;
  InFlightDiagnostic remark = module.emitRemark()
                              << fullest.str() << " stores " << mebibytes(found.bytes) << " of the "
                              << mebibytes(found.all) << " of variables, dealt "
                              << (policy == VariablePolicy::RoundRobin ? "round robin" : "whole") << "; with ";
  if (balancing)
    remark << "\"placement\": \"balanced\" in the strategy no task stores more than " << mebibytes(found.balanced);
  if (splitting)
    remark << (balancing ? ", with \"split\" none more than "
                         : "\"placement\": \"split\" in the strategy no task stores more than ")
           << mebibytes(found.split);
}

} // namespace graphc
