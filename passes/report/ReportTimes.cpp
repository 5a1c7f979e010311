//===- ReportTimes.cpp - the report's tables of times: by instruction and by layer ------------===//
#include "passes/report/ReportParts.h"

#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graphc {
namespace {

/// An instruction of one instance in one step.
struct TimeRow {
  uint32_t program = 0;
  int instruction = 0;
  double predicted = 0;
  MeasuredTimes::Time measured;
};

std::vector<TimeRow> collectRows(const ReportInput &input) {
  std::vector<TimeRow> rows;
  auto add = [&](double predicted, uint32_t program, int instruction) {
    TimeRow row{program, instruction, predicted, {}};
    if (input.measured)
      if (auto time = input.measured->instructions.find({program, uint32_t(instruction)});
          time != input.measured->instructions.end())
        row.measured = time->second;
    rows.push_back(row);
  };
  for (const StepPrediction::LaneTimes &lane : input.prediction.lanes) {
    const plan::Program &program = input.plan.programs(int(lane.program));
    for (auto [i, span] : llvm::enumerate(lane.spans))
      if (!program.instructions(int(i)).queue())
        add(span.end - span.start, lane.program, int(i));
    for (const StepPrediction::Queue &queue : lane.queues)
      for (auto [i, span] : llvm::zip(queue.instructions, queue.spans))
        add(span.end - span.start, lane.program, i);
  }
  return rows;
}

/// What shares are of. A queue's work was not measured: its lane only gives it.
double timeOf(const ReportInput &input, const TimeRow &row) {
  const bool isQueued = input.plan.programs(int(row.program)).instructions(row.instruction).queue();
  return input.measured && !isQueued ? row.measured.works : row.predicted;
}

std::string share(double part, double whole) {
  return llvm::formatv("{0:F1} %", whole > 0 ? 100 * part / whole : 0);
}

std::string openTable(llvm::ArrayRef<const char *> texts, const ReportInput &input,
                      llvm::ArrayRef<const char *> numbers) {
  std::string head;
  for (const char *text : texts)
    head += std::string("<th>") + text + "</th>";
  for (const char *number : numbers)
    head += std::string("<th class=\"number\">") + number + "</th>";
  head += input.measured ? "<th class=\"number\">predicted</th><th class=\"number\">measured</th>"
                           "<th class=\"number\">waiting</th>"
                         : "<th class=\"number\">time</th>";
  return "<div class=\"scroll\"><table><thead><tr>" + head +
         "<th class=\"number\">share</th></tr></thead><tbody>\n";
}

constexpr char kCloseTable[] = "</tbody></table></div>\n";

std::string instructionRow(const ReportInput &input, const TimeRow &row, double whole) {
  const plan::Program &program = input.plan.programs(int(row.program));
  const plan::Instruction &instruction = program.instructions(row.instruction);
  auto time = [&](double seconds) {
    return cell(instruction.queue() ? "" : inSeconds(seconds), true);
  };
  return "<tr>" + cell(program.name()) + cell(instructionTitle(input.plan, program, instruction)) +
         cell(inSeconds(row.predicted), true) +
         (input.measured ? time(row.measured.works) + time(row.measured.waits) : "") +
         cell(share(timeOf(input, row), whole), true) + "</tr>\n";
}

/// All instructions by their share; those that take most are shown at first.
std::string listInstructions(const ReportInput &input, std::vector<TimeRow> rows, double whole) {
  constexpr size_t kShown = 10, kShownMeasured = 20, kMost = 1000;
  llvm::sort(rows, [&](const TimeRow &a, const TimeRow &b) {
    return std::tuple(-timeOf(input, a), a.program, a.instruction) <
           std::tuple(-timeOf(input, b), b.program, b.instruction);
  });
  const size_t shown = std::min(rows.size(), input.measured ? kShownMeasured : kShown);
  const size_t most = std::min(rows.size(), kMost);
  const std::string head = openTable({"program", "instruction"}, input, {});
  std::string text = "<h3>What takes longest</h3>\n" + head;
  for (const TimeRow &row : llvm::ArrayRef(rows).take_front(shown))
    text += instructionRow(input, row, whole);
  text += kCloseTable;
  if (most == shown)
    return text;
  text += "<details><summary>" +
          (most == rows.size() ? "The other " + std::to_string(most - shown)
                               : "The next " + std::to_string(most - shown) + " of " +
                                     std::to_string(rows.size() - shown)) +
          " instructions</summary>\n" + head;
  for (const TimeRow &row : llvm::ArrayRef(rows).slice(shown, most - shown))
    text += instructionRow(input, row, whole);
  return text + kCloseTable + "</details>\n";
}

/// Whether PyTorch exported a function of the plan. Its names are of kinds of operations and not of
/// modules: aten::relu.
bool isOfTorch(const plan::Plan &plan) {
  return llvm::any_of(plan.locations(), [](llvm::StringRef location) {
    return splitLocation(location).second.contains("aten::");
  });
}

/// The layer of a kernel: the scope of its operation's name, "loss/MLP/Dense_0" of
/// "loss/MLP/Dense_0/dot_general"; where it has none, and in Python files of PyTorch, its line,
/// "net.py:28".
std::string layerOf(const plan::Plan &plan, const plan::Instruction &instruction, bool ofTorch) {
  const auto [place, name] = splitLocation(plan::locationText(plan, instruction.location()));
  const llvm::StringRef line = place.rsplit(':').first;
  if (!name.empty() && !(ofTorch && line.rsplit(':').first.ends_with(".py")))
    return (name.contains('/') ? name.rsplit('/').first : name).str();
  return line.empty() ? "unknown location" : line.str();
}

/// The kernels' times summed by layer, and the rest of the work in one row.
std::string listLayers(const ReportInput &input, const std::vector<TimeRow> &rows, double whole) {
  struct Layer {
    unsigned kernels = 0;
    double time = 0, predicted = 0, works = 0, waits = 0;
  };
  std::map<std::string, Layer> layers;
  const std::string other = "messages, sums, batches";
  const bool ofTorch = isOfTorch(input.plan);
  for (const TimeRow &row : rows) {
    const plan::Instruction &instruction =
        input.plan.programs(int(row.program)).instructions(row.instruction);
    Layer &layer =
        layers[instruction.has_call() ? layerOf(input.plan, instruction, ofTorch) : other];
    layer.kernels += instruction.has_call();
    layer.time += timeOf(input, row);
    layer.predicted += row.predicted;
    layer.works += row.measured.works;
    layer.waits += row.measured.waits;
  }
  std::vector<std::pair<std::string, Layer>> sorted(layers.begin(), layers.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::tuple(-a.second.time, a.first) < std::tuple(-b.second.time, b.first);
  });
  std::string text =
      "<h3>By layer</h3>\n<p class=\"soft\">A layer is the scope in an operation's name, or else its source line. "
      "A kernel counts toward the layer of its first operation. Forward and backward are added.</p>\n" +
      openTable({"layer"}, input, {"kernels"});
  for (const auto &[name, layer] : sorted)
    text +=
        "<tr>" + cell(name) + cell(layer.kernels ? std::to_string(layer.kernels) : "", true) +
        cell(inSeconds(layer.predicted), true) +
        (input.measured ? cell(inSeconds(layer.works), true) + cell(inSeconds(layer.waits), true)
                        : "") +
        cell(share(layer.time, whole), true) + "</tr>\n";
  return text + kCloseTable;
}

} // namespace

std::string listTimes(const ReportInput &input) {
  const std::vector<TimeRow> rows = collectRows(input);
  double whole = 0;
  for (const TimeRow &row : rows)
    whole += timeOf(input, row);
  return listInstructions(input, rows, whole) + listLayers(input, rows, whole);
}

} // namespace graphc
