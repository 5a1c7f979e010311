//===- Budget.cpp - limits of cluster.json that a plan must keep ----------------------------------------------------===//
#include "passes/compiler/Budget.h"

#include "passes/compiler/PlanFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace graphc {

/// "1.50 MiB (1572864 bytes)": the number in the file may be exact.
static std::string exactly(uint64_t bytes) {
  return bytes < 1024 ? inBytes(bytes) : inBytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// "model.mlir:12:8" as the place of a note.
static void setPlace(Diagnostic &note, llvm::StringRef location) {
  auto [rest, column] = location.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  if (column.getAsInteger(10, note.column) || line.getAsInteger(10, note.line)) {
    note.file = location.str();
    note.line = note.column = 0;
  } else {
    note.file = file.str();
  }
}

static void complain(const cluster::ClusterConfig &cluster, const llvm::Twine &message,
                     llvm::ArrayRef<Contributor> contributors, const DiagnosticSink &sink) {
  Diagnostic error;
  error.file = cluster.file;
  error.line = cluster.budget.position.line;
  error.column = cluster.budget.position.column;
  error.message = message.str();
  constexpr size_t kShown = 5;
  for (const Contributor &contributor : contributors.take_front(kShown)) {
    if (contributor.bytes == 0)
      break;
    Diagnostic &note = error.notes.emplace_back();
    note.severity = Severity::Note;
    setPlace(note, contributor.location);
    note.message = contributor.what + " takes " + inBytes(contributor.bytes);
  }
  if (contributors.size() > kShown) {
    Diagnostic &note = error.notes.emplace_back();
    note.severity = Severity::Note;
    note.message = "and " + std::to_string(contributors.size() - kShown) + " smaller ones";
  }
  sink(error);
}

bool keepsBudget(const plan::Plan &plan, const cluster::ClusterConfig &cluster, const DiagnosticSink &sink) {
  const cluster::BudgetConfig &budget = cluster.budget;
  if (!budget.memory && !budget.bytesPerStep)
    return true;
  bool keeps = true;
  Footprint footprint = computeFootprint(plan);
  if (budget.memory && !footprint.devices.empty()) {
    const Footprint::Device *fullest = &footprint.devices.front();
    for (const Footprint::Device &device : footprint.devices)
      if (device.total() > fullest->total())
        fullest = &device;
    if (fullest->total() > *budget.memory) {
      complain(cluster,
               fullest->name + " needs " + exactly(fullest->total()) + " of memory (variables " +
                   inBytes(fullest->variables) + ", arenas " + inBytes(fullest->arena) + ", channels " +
                   inBytes(fullest->channels) + "), the budget is " + exactly(*budget.memory) +
                   "; a smaller batch, more tasks or another placement lowers it",
               fullest->contributors, sink);
      keeps = false;
    }
  }
  if (budget.bytesPerStep && footprint.bytesPerStep > *budget.bytesPerStep) {
    complain(cluster,
             "a step sends " + exactly(footprint.bytesPerStep) + " between tasks, the budget is " +
                 exactly(*budget.bytesPerStep) + "; another strategy or placement lowers it (see --compare)",
             footprint.traffic, sink);
    keeps = false;
  }
  return keeps;
}

} // namespace graphc
