//===- Report.cpp - a page that shows a plan ----------------------------------------------------------------------===//
#include "passes/report/Report.h"

#include "passes/report/ReportParts.h"
#include "passes/report/Table.h"

#include "runtime/plan/Certificate.h"
#include "runtime/plan/MemoryNeeds.h"
#include "runtime/plan/Types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>

namespace graphc {

std::string escapeHtml(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  return out;
}

std::string coordinate(double value) {
  std::string text = llvm::formatv("{0:F2}", value);
  llvm::StringRef kept = text;
  if (kept.contains('.'))
    kept = kept.rtrim('0').rtrim('.');
  return kept == "-0" ? "0" : kept.str();
}

static std::string copyText(const plan::Program &program, const plan::Instruction::Copy &copy) {
  const plan::Buffer &to = program.buffers(int(copy.to()));
  const bool within = to.space() == program.buffers(int(copy.from())).space();
  return std::string(within                            ? "copy"
                     : plan::isToDevice(program, copy) ? "copy to the device"
                                                       : "copy from the device") +
         ", " + inBytes(to.bytes());
}

std::string queueText(const plan::Program &program, const Prediction::Queue &queue) {
  bool calls = false, toDevice = false, fromDevice = false;
  for (int i : queue.instructions) {
    const plan::Instruction &instruction = program.instructions(i);
    calls |= instruction.has_call();
    if (instruction.has_copy())
      (plan::isToDevice(program, instruction.copy()) ? toDevice : fromDevice) = true;
  }
  std::string text;
  for (auto [is, what] :
       {std::pair(calls, "calls"), {toDevice, "copies to the device"}, {fromDevice, "copies from the device"}})
    if (is)
      text += (text.empty() ? "" : ", ") + std::string(what);
  return text;
}

std::string instructionText(const plan::Plan &plan, const plan::Program &program,
                            const plan::Instruction &instruction) {
  auto channel = [&](uint32_t index) { return plan.channels(int(index)).name(); };
  std::string text =
      instruction.has_call()                ? plan.kernels(int(instruction.call().kernel())).name()
      : instruction.has_receive()           ? "receive " + channel(instruction.receive().channel())
      : instruction.has_release()           ? "release " + channel(instruction.release().channel())
      : instruction.has_send_start()        ? "send " + channel(instruction.send_start().channel()) +
                                                  (instruction.send_start().ahead() ? " for the next step" : "")
      : instruction.has_send_done()         ? "sent " + channel(instruction.send_done().channel())
      : instruction.has_repeat()            ? std::to_string(instruction.repeat().count()) + " times"
      : instruction.has_accumulate()        ? "sum of a loop"
      : instruction.has_aggregate()         ? "sum of " + channel(instruction.aggregate().channel())
      : instruction.has_collect()           ? "messages of " + channel(instruction.collect().channel())
      : instruction.has_all_reduce_start()  ? "begin of all-reduce " + channel(instruction.all_reduce_start().channel())
      : instruction.has_all_reduce_done()   ? "all-reduce " + channel(instruction.all_reduce_done().channel())
      : instruction.has_choose()            ? "choose from " + channel(instruction.choose().channel())
      : instruction.has_next_batch()        ? "next batch"
      : instruction.has_micro_batch_index() ? "number of the micro-batch"
      : instruction.has_control_send()      ? "control message, sent"
      : instruction.has_control_receive()   ? "control message"
      : instruction.has_copy()              ? copyText(program, instruction.copy())
      : instruction.has_signal()            ? "signal"
      : instruction.has_wait()              ? "wait for queue " + std::to_string(instruction.wait().queue())
      : instruction.has_ticket()            ? "ticket"
                                            : "instruction";
  const std::string &where = plan::locationText(plan, instruction.location());
  return where.empty() ? text : text + " (" + where + ")";
}

namespace {

std::string cell(const std::string &text, bool number = false) {
  return number ? "<td class=\"number\">" + escapeHtml(text) + "</td>" : "<td>" + escapeHtml(text) + "</td>";
}

std::string section(const char *id, const char *title, const std::string &lead, const std::string &body) {
  return std::string("<section aria-labelledby=\"") + id + "\">\n<h2 id=\"" + id + "\">" + title +
         "</h2>\n<p class=\"soft\">" + escapeHtml(lead) + "</p>\n" + body + "</section>\n";
}

std::string figure(const std::string &svg) { return "<figure tabindex=\"0\" role=\"group\">\n" + svg + "</figure>\n"; }

std::string tile(const std::string &value, const std::string &what) {
  return "<li><b>" + escapeHtml(value) + "</b><span>" + escapeHtml(what) + "</span></li>\n";
}

/// The model's text by line, for "model.mlir:12:8"; empty where the model came from elsewhere.
class SourceLines {
public:
  SourceLines(const std::string &path, llvm::StringRef name) : name(name) {
    if (auto buffer = path == "-" ? nullptr : open(path)) {
      text = buffer->getBuffer().str();
      llvm::StringRef(text).split(lines, '\n');
    }
  }
  std::string at(llvm::StringRef location) const {
    auto [file, rest] = location.split(':');
    unsigned line = 0;
    if (file != name || rest.split(':').first.getAsInteger(10, line) || line == 0 || line > lines.size())
      return "";
    return lines[line - 1].trim().str();
  }

private:
  static std::unique_ptr<llvm::MemoryBuffer> open(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    return buffer ? std::move(*buffer) : nullptr;
  }
  std::string text;
  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> lines;
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
    list += std::string("<li><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect class=\"") + style +
            "\" width=\"12\" height=\"12\"/></svg>" + text + "</li>";
  return list + "</ul>\n";
}

/// The instructions that take longest, over all lanes.
std::string slowest(const ReportInput &input) {
  std::vector<std::tuple<double, uint32_t, int>> all;
  for (const Prediction::Lane &lane : input.prediction.lanes) {
    const plan::Program &program = input.plan.programs(int(lane.program));
    for (auto [i, span] : llvm::enumerate(lane.spans))
      if (!program.instructions(int(i)).queue())
        all.emplace_back(span.end - span.start, lane.program, int(i));
    for (const Prediction::Queue &queue : lane.queues)
      for (auto [i, span] : llvm::zip(queue.instructions, queue.spans))
        all.emplace_back(span.end - span.start, lane.program, i);
  }
  llvm::sort(all, [](auto &a, auto &b) { return std::get<0>(a) > std::get<0>(b); });
  std::string rows;
  for (auto [seconds, program, instruction] : llvm::ArrayRef(all).take_front(10))
    rows += "<tr>" + cell(input.plan.programs(int(program)).name()) +
            cell(instructionText(input.plan, input.plan.programs(int(program)),
                                 input.plan.programs(int(program)).instructions(instruction))) +
            cell(inSeconds(seconds), true) + "</tr>\n";
  return "<h3>What takes longest</h3>\n<div class=\"scroll\"><table><thead><tr><th>program</th><th>instruction</th>"
         "<th class=\"number\">time</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
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
            "<td><div class=\"bar\" style=\"width:" + coordinate(most ? 100.0 * double(sum.first) / double(most) : 0) +
            "%\"></div></td>" + cell(inBytes(sum.first), true) + "</tr>\n";
  }
  std::string note;
  if (owners.size() > 1 && double(most) * double(owners.size()) > 1.5 * double(total))
    note = "<p class=\"warning\">Unbalanced: the fullest task stores " + inBytes(most) + ", the mean is " +
           inBytes(total / owners.size()) +
           ". \"placement\": \"balanced\" or \"split\" in the strategy deals the variables by bytes.</p>\n";
  return note +
         "<div class=\"scroll\"><table class=\"bars\"><thead><tr><th>task</th><th class=\"number\">variables</th>"
         "<th><span class=\"soft\">share of the fullest</span></th><th "
         "class=\"number\">bytes</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string cutEdges(const plan::Plan &plan, const SourceLines &source) {
  std::multimap<uint64_t, const plan::Channel *, std::greater<>> channels; // of equals the first stays first
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
            cell(plan::typeText(channel->type())) + cell((channel->unit_bytes() ? "≤ " : "") + inBytes(bytes), true) +
            "<td>" + escapeHtml(where) + (line.empty() ? "" : "<br><code>" + escapeHtml(line) + "</code>") +
            "</td></tr>\n";
  }
  return "<div class=\"scroll\"><table><thead><tr><th>channel</th><th>from → to</th><th>type</th>"
         "<th class=\"number\">a step</th><th>because of</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string makePage(const ReportInput &input, const cluster::Calibration &calibration, const std::string &model) {
  const plan::Plan &plan = input.plan;
  const Prediction &prediction = input.prediction;
  uint64_t fullest = 0;
  for (const Footprint::Device &device : input.footprint.devices)
    fullest = std::max(fullest, device.total());
  bool updates = plan.phases_size() && plan.phases(mainPhase(plan)).ends_by_end_of_stream();
  std::string why = prediction.cores > prediction.cycle ? "limited by the cores that the tasks share"
                                                        : "limited by its longest chain";
  auto facts = plan::checkCertificate(plan);
  std::string title = plan.model() + " — " + plan.strategy().name();
  SourceLines source(model, plan.model());
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escapeHtml(title) + "</title>\n<style>" + reportStyle().str() + "</style>\n</head>\n<body>\n<header>\n<h1>" +
         escapeHtml(plan.model()) + "</h1>\n<p class=\"soft\">" + escapeHtml(summarize(plan)) +
         "</p>\n<ul class=\"tiles\">\n" +
         tile(inSeconds(prediction.step), updates ? "predicted for one update" : "predicted for one step") +
         tile(inCounts(uint64_t(prediction.samplesPerSecond)), "samples a second") +
         tile(inBytes(input.footprint.bytesPerStep), "between tasks, a step") +
         (prediction.bytesBetweenHosts ? tile(inBytes(prediction.bytesBetweenHosts), "of it between hosts") : "") +
         (input.footprint.hasOwnMemory() ? tile(inBytes(input.footprint.copied().total()), "over PCIe, a step") : "") +
         tile(inBytes(fullest), "on the fullest device") +
         "</ul>\n<nav aria-label=\"Sections\"><a href=\"#partition\">Partition</a><a href=\"#timeline\">Timeline</a>"
         "<a href=\"#memory\">Memory</a><a href=\"#balance\">Variables</a><a href=\"#edges\">Cut "
         "edges</a></nav>\n</header>\n<main>\n" +
         section("partition", "Partition",
                 "Each box is a device (×N: N replicas that are alike); each arrow is all that one sends another in a "
                 "step.",
                 figure(drawPartition(input))) +
         section("timeline", "One step, as predicted",
                 "Each bar is an instruction (hover over it), each gap a wait. The step is " + why + "." +
                     (input.footprint.hasOwnMemory()
                          ? " What a lane gives to a queue of its device, that queue does at a time of its own."
                          : ""),
                 figure(drawTimeline(input)) + legend() + slowest(input)) +
         section(
             "memory", "Memory over the step",
             std::string("What is in use while the step goes on: variables, constants and slots for messages below, "
                         "the arena's live buffers on top; the dashed line is what is reserved.") +
                 (input.footprint.hasOwnMemory()
                      ? " A device with memory of its own has two charts: of that, and of what it takes of the host's."
                      : ""),
             figure(drawMemory(input))) +
         section("balance", "Where the variables are", "Bytes of variables by the task that stores them.",
                 balance(plan)) +
         section("edges", "Cut edges",
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
                       const cluster::Calibration &calibration, const std::string &model) {
  return makePage({plan, computeFootprint(plan), predict(plan, cluster, calibration)}, calibration, model);
}

} // namespace graphc
