//===- CheckBudget.cpp - limits of cluster.json that a plan must keep -------------------------===//
#include "passes/compiler/CheckBudget.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace graphc {

/// "1.50 MiB (1572864 bytes)": the number in the file may be exact.
static std::string exactly(uint64_t bytes) {
  return bytes < 1024 ? inBytes(bytes) : inBytes(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// The place of "model.mlir:12:8 hidden/matmul" as that of a note.
static void setPlace(Diagnostic &note, llvm::StringRef location) {
  location = splitLocation(location).first;
  auto [rest, column] = location.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  if (column.getAsInteger(10, note.column) || line.getAsInteger(10, note.line)) {
    note.file = location.str();
    note.line = note.column = 0;
  } else {
    note.file = file.str();
  }
}

/// A row stands for several tasks, of several jobs perhaps: "/job:chief,worker/device:…". It is
/// meant by a limit for one of them.
static bool isMeant(const cluster::MemoryLimit &limit, const PlanFootprint::Device &row) {
  auto [tasks, device] = llvm::StringRef(row.name).split("/device:");
  tasks.consume_front("/job:");
  for (llvm::StringRef task : llvm::split(tasks, ','))
    if (absl::StatusOr<cluster::DeviceSpec> name =
            cluster::DeviceSpec::parse(("/job:" + task + "/device:" + device).str());
        name.ok() && limit.device.compatibleWith(*name))
      return true;
  return false;
}

/// The first that matches; null where none does.
static const cluster::MemoryLimit *limitOf(const cluster::BudgetConfig &budget,
                                           const PlanFootprint::Device &row) {
  auto limit = llvm::find_if(budget.memory,
                             [&](const cluster::MemoryLimit &one) { return isMeant(one, row); });
  return limit == budget.memory.end() ? nullptr : &*limit;
}

std::vector<MemoryExcess> findMemoryExcesses(const PlanFootprint &footprint,
                                             const cluster::BudgetConfig &budget) {
  std::vector<MemoryExcess> excesses;
  for (auto [row, device] : llvm::enumerate(footprint.devices))
    if (const cluster::MemoryLimit *limit = limitOf(budget, device);
        limit && device.total() > limit->bytes)
      excesses.push_back({unsigned(row), device.total() - limit->bytes});
  return excesses;
}

namespace {

/// What exceeds a limit, in the words of one place of cluster.json.
class BudgetCheck {
public:
  BudgetCheck(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
              const DiagnosticSink &sink)
      : cluster_(cluster), budget_(cluster.budget), plan_(plan), footprint_(computeFootprint(plan)),
        sink_(sink) {}

  bool run() {
    for (const cluster::MemoryLimit &limit : budget_.memory)
      checkMemory(limit);
    checkPinned();
    if (budget_.bytesPerStep && footprint_.bytesPerStep > *budget_.bytesPerStep)
      complain(budget_.position,
               "a step sends " + exactly(footprint_.bytesPerStep) +
                   " between tasks, the budget is " + exactly(*budget_.bytesPerStep) +
                   "; another strategy or placement lowers it (see --compare)",
               footprint_.traffic);
    checkCopied();
    return keeps_;
  }

private:
  using Device = PlanFootprint::Device;

  /// The one with most of something, of those that `isMeant`; null where there is none.
  const Device *fullest(llvm::function_ref<uint64_t(const Device &)> bytes,
                        llvm::function_ref<bool(const Device &)> isMeant = nullptr) const {
    const Device *most = nullptr;
    for (const Device &device : footprint_.devices)
      if ((!isMeant || isMeant(device)) && (!most || bytes(device) > bytes(*most)))
        most = &device;
    return most;
  }
  void checkMemory(const cluster::MemoryLimit &limit);
  void checkPinned();
  void checkCopied();
  std::string lacking(const Device &device, uint64_t limit) const;
  void complain(base::JsonPosition at, const llvm::Twine &message,
                llvm::ArrayRef<ResourceContributor> contributors);

  const cluster::ClusterConfig &cluster_;
  const cluster::BudgetConfig &budget_;
  const plan::Plan &plan_;
  const PlanFootprint footprint_;
  const DiagnosticSink &sink_;
  bool keeps_ = true;
};

} // namespace

void BudgetCheck::complain(base::JsonPosition at, const llvm::Twine &message,
                           llvm::ArrayRef<ResourceContributor> contributors) {
  keeps_ = false;
  Diagnostic error;
  error.file = cluster_.file;
  error.line = at.line;
  error.column = at.column;
  error.message = message.str();
  constexpr size_t kShown = 5;
  for (const ResourceContributor &contributor : contributors.take_front(kShown)) {
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
  sink_(error);
}

static std::string composition(const PlanFootprint::Device &device) {
  return "variables " + inBytes(device.variables) + ", arenas " + inBytes(device.arena) +
         (device.constants ? ", constants " + inBytes(device.constants) : "") +
         (device.ownMemory ? "" : ", channels " + inBytes(device.channels));
}

/// What values that are rematerialized do not bring; "" where there are none.
std::string BudgetCheck::lacking(const Device &device, uint64_t limit) const {
  const DeviceRows rows(plan_);
  const auto row = unsigned(&device - footprint_.devices.data());
  uint64_t values = 0;
  for (const plan::Program &program : plan_.programs())
    if (llvm::is_contained(rows.of(program), row))
      values += program.recomputed().values();
  if (!values)
    return "";
  return ", which is " + exactly(device.total() - limit) +
         " too little even with all that is cheap rematerialized (" + std::to_string(values) +
         (values == 1 ? " value)" : " values)");
}

static constexpr llvm::StringLiteral kMemoryAdvice =
    "; a smaller batch, more tasks or another placement lowers it";

void BudgetCheck::checkMemory(const cluster::MemoryLimit &limit) {
  auto meant = [&](const Device &device) { return limitOf(budget_, device) == &limit; };
  const std::string budgeted =
      limit.device.isEmpty() ? "the budget is " : "the budget for " + limit.device.str() + " is ";
  if (const Device *device = fullest([](const Device &d) { return d.total(); }, meant);
      device && device->total() > limit.bytes)
    complain(limit.position,
             device->name + " needs " + exactly(device->total()) + " of memory (" +
                 composition(*device) + "), " + budgeted + exactly(limit.bytes) +
                 lacking(*device, limit.bytes) + kMemoryAdvice,
             device->contributors);
  if (!limit.device.isEmpty())
    return;
  if (const Device *device = fullest([](const Device &d) { return d.ofHost(); });
      device && device->ofHost() > limit.bytes)
    complain(limit.position,
             device->name + " needs " + exactly(device->ofHost()) +
                 " of the host's memory (pinned " + inBytes(device->pinned) + ", channels " +
                 inBytes(device->channels) + "), " + budgeted + exactly(limit.bytes) +
                 kMemoryAdvice,
             device->hostContributors);
}

void BudgetCheck::checkPinned() {
  const Device *device = fullest([](const Device &d) { return d.pinned; });
  if (budget_.pinnedMemory && device && device->pinned > *budget_.pinnedMemory)
    complain(budget_.position,
             device->name + " needs " + exactly(device->pinned) +
                 " of pinned memory of the host, the budget is " + exactly(*budget_.pinnedMemory) +
                 kMemoryAdvice,
             device->hostContributors);
}

void BudgetCheck::checkCopied() {
  const Device *device = fullest([](const Device &d) { return d.copied.total(); });
  if (budget_.pcieBytesPerStep && device && device->copied.total() > *budget_.pcieBytesPerStep)
    complain(
        budget_.position,
        "a step copies " + exactly(device->copied.total()) + " between " + device->name +
            " and its host (" + inBytes(device->copied.toDevice) + " to it, " +
            inBytes(device->copied.fromDevice) + " from it), the budget is " +
            exactly(*budget_.pcieBytesPerStep) +
            "; variables on the device that uses them, or another strategy, lower it (see --compare)",
        {});
}

bool keepsBudget(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                 const DiagnosticSink &sink) {
  const cluster::BudgetConfig &budget = cluster.budget;
  if (budget.memory.empty() && !budget.pinnedMemory && !budget.bytesPerStep &&
      !budget.pcieBytesPerStep)
    return true;
  return BudgetCheck(plan, cluster, sink).run();
}

} // namespace graphc
