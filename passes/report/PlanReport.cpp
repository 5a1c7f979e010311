//===- PlanReport.cpp - a page that shows a plan ----------------------------------------------===//
#include "passes/report/PlanReport.h"

#include "passes/report/CostTable.h"
#include "passes/report/ReportParts.h"

#include "runtime/common/plan/InstructionText.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/MemoryRequirements.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>

namespace graphc {

std::string cell(const std::string &text, bool number) {
  return number ? "<td class=\"number\">" + escapeHtml(text) + "</td>"
                : "<td>" + escapeHtml(text) + "</td>";
}

std::string coordinate(double value) {
  std::string text = llvm::formatv("{0:F2}", value);
  llvm::StringRef kept = text;
  if (kept.contains('.'))
    kept = kept.rtrim('0').rtrim('.');
  return kept == "-0" ? "0" : kept.str();
}

std::string queueText(const plan::Program &program, const StepPrediction::Queue &queue) {
  bool calls = false, toDevice = false, fromDevice = false;
  for (int i : queue.instructions) {
    const plan::Instruction &instruction = program.instructions(i);
    calls |= instruction.has_call();
    if (instruction.has_copy())
      (plan::isToDevice(program, instruction.copy()) ? toDevice : fromDevice) = true;
  }
  std::string text;
  for (auto [is, what] : {std::pair(calls, "calls"),
                          {toDevice, "copies to the device"},
                          {fromDevice, "copies from the device"}})
    if (is)
      text += (text.empty() ? "" : ", ") + std::string(what);
  return text;
}

std::string instructionTitle(const plan::Plan &plan, const plan::Program &program,
                             const plan::Instruction &instruction) {
  std::string text = plan::instructionText(plan, program, instruction);
  if (instruction.has_copy())
    text += ", " + inBytes(program.buffers(int(instruction.copy().to())).bytes());
  const std::string &where = plan::locationText(plan, instruction.location());
  return where.empty() ? text : text + " (" + where + ")";
}

namespace {

std::string section(const char *id, const char *title, const std::string &lead,
                    const std::string &body) {
  return std::string("<section aria-labelledby=\"") + id + "\">\n<h2 id=\"" + id + "\">" + title +
         "</h2>\n<p class=\"soft\">" + escapeHtml(lead) + "</p>\n" + body + "</section>\n";
}

std::string figure(const std::string &svg) {
  return "<figure tabindex=\"0\" role=\"group\">\n" + svg + "</figure>\n";
}

std::string tile(const std::string &value, const std::string &what) {
  return "<li><b>" + escapeHtml(value) + "</b><span>" + escapeHtml(what) + "</span></li>\n";
}

/// Of the measured step where there is one, else of the predicted one.
std::string samplesTile(const ReportInput &input) {
  const StepPrediction &prediction = input.prediction;
  if (!input.measured || input.measured->step <= 0)
    return tile(inCounts(uint64_t(prediction.samplesPerSecond)), "samples a second, predicted");
  const double samples = prediction.samplesPerSecond * prediction.step; // of a step
  return tile(inCounts(uint64_t(samples / input.measured->step)), "samples a second, measured");
}

/// The model's text by line, for "model.mlir:12:8"; empty where the model came from elsewhere.
class SourceLines {
public:
  SourceLines(const std::string &path, llvm::StringRef name) : name_(name) {
    if (auto buffer = path == "-" ? nullptr : open(path)) {
      text_ = buffer->getBuffer().str();
      llvm::StringRef(text_).split(lines_, '\n');
    }
  }
  std::string at(llvm::StringRef location) const {
    auto [file, rest] = location.split(':');
    unsigned line = 0;
    if (file != name_ || rest.split(':').first.getAsInteger(10, line) || line == 0 ||
        line > lines_.size())
      return "";
    return lines_[line - 1].trim().str();
  }

private:
  static std::unique_ptr<llvm::MemoryBuffer> open(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    return buffer ? std::move(*buffer) : nullptr;
  }
  std::string text_;
  llvm::StringRef name_;
  llvm::SmallVector<llvm::StringRef> lines_;
};

std::string legend() {
  std::string list = "<ul class=\"legend\">";
  for (auto [style, text] : {std::pair("library", "library kernel"),
                             {"call", "compiled kernel"},
                             {"send", "send"},
                             {"take", "receive, sum, control"},
                             {"give", "given to a queue"},
                             {"copy", "copy between device and host"},
                             {"data", "next batch"},
                             {"wait", "waiting"}})
    list += std::string("<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"") +
            style + "\" width=\"12\" height=\"12\"/></svg>" + text + "</li>";
  return list + "</ul>\n";
}

/// Why the picture of a step is longer than a step: its lanes are in two of them at once.
std::string overlapText(const StepPrediction &prediction) {
  const double span = spanOf(prediction);
  if (span < 1.02 * prediction.cycle)
    return "";
  return " From the first begin to the last end it takes " + inSeconds(span) +
         ", but lanes begin the next one before: one ends every " + inSeconds(prediction.cycle) +
         ".";
}

std::string balance(const plan::Plan &plan) {
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint64_t, unsigned>> owners; // bytes, count
  uint64_t most = 0, total = 0;
  for (const plan::Variable &variable : plan.variables()) {
    auto &[bytes, count] = owners[{variable.owner().job(), variable.owner().index()}];
    bytes += plan::tensorBytes(variable.type()).value_or(0);
    ++count;
    most = std::max(most, bytes);
    total += plan::tensorBytes(variable.type()).value_or(0);
  }
  std::string rows;
  for (auto &[task, sum] : owners) {
    plan::Task owner;
    owner.set_job(task.first);
    owner.set_index(task.second);
    rows += "<tr>" + cell(plan::taskText(plan, owner)) + cell(std::to_string(sum.second), true) +
            "<td><div class=\"bar\" style=\"width:" +
            coordinate(most ? 100.0 * double(sum.first) / double(most) : 0) + "%\"></div></td>" +
            cell(inBytes(sum.first), true) + "</tr>\n";
  }
  std::string note;
  if (owners.size() > 1 && double(most) * double(owners.size()) > 1.5 * double(total))
    note =
        "<p class=\"warning\">Unbalanced: the fullest task stores " + inBytes(most) +
        ", the mean is " + inBytes(total / owners.size()) +
        ". \"placement\": \"balanced\" or \"split\" in the strategy deals the variables by bytes.</p>\n";
  return note +
         "<div class=\"scroll\"><table class=\"bars\"><thead><tr><th>task</th><th class=\"number\">variables</th>"
         "<th><span class=\"soft\">share of the fullest</span></th><th "
         "class=\"number\">bytes</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string cutEdges(const plan::Plan &plan, const SourceLines &source) {
  // of equals the first stays first
  std::multimap<uint64_t, const plan::Channel *, std::greater<>> channels;
  const ChannelBytes bytesOf(plan);
  for (const plan::Channel &channel : plan.channels())
    if (!channel.control() && crossesTasks(plan, channel) &&
        int(plan.programs(int(channel.sender())).phase()) == mainPhase(plan))
      channels.emplace(bytesOf.betweenTasks(channel), &channel);
  if (channels.empty())
    return "<p>Nothing crosses: all the work is on one task.</p>\n";
  std::string rows;
  for (auto [bytes, channel] : channels) {
    const std::string &where = plan::locationText(plan, channel->location());
    std::string line = source.at(where);
    rows += "<tr>" + cell(channel->name()) +
            cell(placeName(plan, plan.programs(int(channel->sender()))) + " → " +
                 placeName(plan, plan.programs(int(channel->receiver())))) +
            cell(plan::typeText(channel->type())) +
            cell((channel->unit_bytes() ? "≤ " : "") + inBytes(bytes), true) + "<td>" +
            escapeHtml(where) + (line.empty() ? "" : "<br><code>" + escapeHtml(line) + "</code>") +
            "</td></tr>\n";
  }
  return "<div class=\"scroll\"><table><thead><tr><th>channel</th><th>from → to</th><th>type</th>"
         "<th class=\"number\">a step</th><th>because of</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string measuredFigure(const ReportInput &input) {
  if (!input.measured)
    return "";
  return "<h3>The same, as measured</h3>\n<p class=\"soft\">One of the " +
         std::to_string(input.measured->steps) +
         " steps of the trace, to the same scale: the one that took neither long nor short. Below are means of all of "
         "them.</p>\n" +
         drawMeasured(input);
}

std::string makePage(const ReportInput &input, const cluster::MachineCalibration &calibration,
                     const std::string &model) {
  const plan::Plan &plan = input.plan;
  const StepPrediction &prediction = input.prediction;
  uint64_t fullest = 0;
  for (const PlanFootprint::Device &device : input.footprint.devices)
    fullest = std::max(fullest, device.total());
  bool updates = plan.phases_size() && plan.phases(mainPhase(plan)).ends_by_end_of_stream();
  std::string why = prediction.cores > prediction.cycle
                        ? "limited by the cores that the tasks share"
                        : "limited by its longest chain";
  auto facts = plan::checkCertificate(plan);
  std::string title = plan.model() + " — " + plan.strategy().name();
  SourceLines source(model, plan.model());
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escapeHtml(title) + "</title>\n<style>" + reportStyle().str() +
         "</style>\n</head>\n<body>\n<header>\n<h1>" + escapeHtml(plan.model()) +
         "</h1>\n<p class=\"soft\">" + escapeHtml(summarize(plan)) +
         "</p>\n<ul class=\"tiles\">\n" +
         tile(inSeconds(prediction.step),
              updates ? "predicted for one update" : "predicted for one step") +
         (input.measured ? tile(inSeconds(input.measured->step),
                                updates ? "measured for one update" : "measured for one step")
                         : "") +
         samplesTile(input) + tile(inBytes(input.footprint.bytesPerStep), "between tasks, a step") +
         (prediction.bytesBetweenHosts
              ? tile(inBytes(prediction.bytesBetweenHosts), "of it between hosts")
              : "") +
         (input.footprint.hasOwnMemory()
              ? tile(inBytes(input.footprint.copied().total()), "over PCIe, a step")
              : "") +
         tile(inBytes(fullest), "on the fullest device") +
         "</ul>\n<nav aria-label=\"Sections\"><a href=\"#partition\">Partition</a><a href=\"#timeline\">Timeline</a>"
         "<a href=\"#memory\">Memory</a><a href=\"#balance\">Variables</a><a href=\"#edges\">Cut "
         "edges</a></nav>\n</header>\n<main>\n" +
         section(
             "partition", "Partition",
             "Each box is a device (×N: N replicas that are alike); each arrow is all that one sends another in a "
             "step.",
             figure(drawPartition(input))) +
         section(
             "timeline", "One step, as predicted",
             "Each bar is an instruction (hover over it), each gap a wait. The step is " + why +
                 "." + overlapText(prediction) +
                 (input.footprint.hasOwnMemory()
                      ? " What a lane gives to a queue of its device, that queue does at a time of its own."
                      : ""),
             drawTimeline(input) + measuredFigure(input) + legend() + listTimes(input)) +
         section(
             "memory", "Memory over the step",
             std::string(
                 "What is in use while the step goes on: variables, constants and slots for messages below, "
                 "the arena's live buffers on top; the dashed line is what is reserved.") +
                 (input.footprint.hasOwnMemory()
                      ? " A device with memory of its own has two charts: of that, and of what it takes of the host's."
                      : ""),
             figure(drawMemory(input))) +
         section("balance", "Where the variables are",
                 "Bytes of variables by the task that stores them.", balance(plan)) +
         section(
             "edges", "Cut edges",
             "What crosses from task to task in a step, and the line of the model that made it.",
             cutEdges(plan, source)) +
         "</main>\n<footer><p>" + escapeHtml(plan.producer()) + ". " +
         (facts.ok() ? "The plan cannot hang: " + std::to_string(facts->edges) + " edges among " +
                           std::to_string(facts->events) + " events were proven free of circles."
                     : std::string()) +
         " Predicted times rest on " + escapeHtml(sourceText(calibration, hasGpu(plan))) +
         ".</p></footer>\n</body>\n</html>\n";
}

} // namespace

std::string makeReport(const plan::Plan &plan, const cluster::ClusterConfig &cluster,
                       const cluster::MachineCalibration &calibration, const std::string &model,
                       const MeasuredTimes *measured) {
  return makePage({plan, computeFootprint(plan), predict(plan, cluster, calibration), measured},
                  calibration, model);
}

} // namespace graphc
