//===- ReportTimeline.cpp - one predicted step, lane by lane: time and memory -----------------===//
#include "passes/report/ReportParts.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace graphc {
namespace {

// as wide as the page's sections; right: half of the last time
constexpr double kLabel = 248, kPlot = 744, kRight = 44;

/// The class of an instruction's bar.
const char *styleOf(const plan::Plan &plan, const plan::Program &program,
                    const plan::Instruction &instruction) {
  if (instruction.has_copy())
    return "copy";
  if (instruction.has_call())
    return plan.kernels(int(instruction.call().kernel())).has_library() ? "library" : "call";
  if (instruction.has_next_batch())
    return "data";
  const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
  return !effects.channels.empty() && plan::ofSender(effects.channels.front().action) ? "send"
                                                                                      : "take";
}

/// From 0 to a number of seconds, and where ticks are. A zoomed plot is wider, and its names are a
/// drawing of their own, which stays in view.
struct Axis {
  explicit Axis(double seconds, unsigned zoom = 1)
      : end(std::max(seconds, 1e-9)), left(zoom == 1 ? kLabel : kRight), width(kPlot * zoom) {
    double raw = end / (6 * zoom), power = std::pow(10, std::floor(std::log10(raw)));
    tick = (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1) * power;
  }
  double at(double seconds) const { return left + seconds / end * width; }

  /// Lines over the height of the plot, and times under it.
  std::string draw(double top, double bottom) const {
    std::string svg;
    for (double time = 0; time <= end * 1.0001; time += tick) {
      std::string x = coordinate(at(time));
      svg += "<line class=\"axis\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + coordinate(top) +
             "\" y2=\"" + coordinate(bottom) +
             "\"/><text class=\"soft\" text-anchor=\"middle\" x=\"" + x + "\" y=\"" +
             coordinate(bottom + 16) + "\">" + escapeHtml(time == 0 ? "0" : inSeconds(time)) +
             "</text>\n";
    }
    return svg;
  }

  double end, left, width, tick = 0;
};

std::string rect(const char *style, double x, double y, double width, double height,
                 const std::string &title) {
  return std::string("<rect class=\"") + style + "\" x=\"" + coordinate(x) + "\" y=\"" +
         coordinate(y) + "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) +
         "\"><title>" + escapeHtml(title) + "</title></rect>\n";
}

std::string openSvg(const std::string &title, const std::string &id, double height,
                    double width = kLabel + kPlot + kRight) {
  return "<svg role=\"img\" aria-labelledby=\"" + id + "\" width=\"" + coordinate(width) +
         "\" height=\"" + coordinate(height) + "\" viewBox=\"0 0 " + coordinate(width) + " " +
         coordinate(height) + "\">\n<title id=\"" + id + "\">" + escapeHtml(title) + "</title>\n";
}

/// Two lines left of a plot, cut to its width and whole on hover.
std::string label(const std::string &first, const std::string &second, double y) {
  auto cut = [](const std::string &text) {
    return text.size() <= 32 ? text : text.substr(0, 31) + "…";
  };
  return "<text class=\"strong\" x=\"0\" y=\"" + coordinate(y) + "\">" + escapeHtml(cut(first)) +
         "<title>" + escapeHtml(first) + "</title></text><text class=\"soft\" x=\"0\" y=\"" +
         coordinate(y + 15) + "\">" + escapeHtml(cut(second)) + "<title>" + escapeHtml(second) +
         "</title></text>\n";
}

std::string laneLabel(const plan::Plan &plan, const plan::Program &program, double y) {
  return label(program.name() +
                   (program.instances() > 1 ? " ×" + std::to_string(program.instances()) : ""),
               placeName(plan, program), y);
}

/// A bar: an instruction of a program, when, and how it looks.
struct Bar {
  int instruction;
  StepTimeline::Span span;
  const char *style;
};

std::vector<Bar> barsOf(const plan::Plan &plan, const StepPrediction::LaneTimes &lane) {
  const plan::Program &program = plan.programs(int(lane.program));
  std::vector<Bar> bars;
  for (auto [i, span] : llvm::enumerate(lane.spans)) {
    const plan::Instruction &instruction = program.instructions(int(i));
    bars.push_back(
        {int(i), span, instruction.queue() ? "give" : styleOf(plan, program, instruction)});
  }
  return bars;
}

std::vector<Bar> barsOf(const plan::Plan &plan, const plan::Program &program,
                        const StepPrediction::Queue &queue) {
  std::vector<Bar> bars;
  for (auto [i, span] : llvm::zip(queue.instructions, queue.spans))
    bars.push_back({i, span, styleOf(plan, program, program.instructions(i))});
  return bars;
}

/// Without its waits, which are gaps.
std::vector<Bar> barsOf(const plan::Plan &plan, const trace::MeasuredTrace::Step &step) {
  const plan::Program &program = plan.programs(int(step.program));
  std::vector<Bar> bars;
  for (const trace::MeasuredTrace::Part &part : step.parts) {
    const plan::Instruction &instruction = program.instructions(int(part.instruction));
    if (!part.waits)
      bars.push_back({int(part.instruction),
                      {part.begin, part.end},
                      instruction.queue() ? "give" : styleOf(plan, program, instruction)});
  }
  return bars;
}

/// Seconds of both pictures of a step, so that their bars compare.
double endOf(const ReportInput &input) {
  double end = spanOf(input.prediction);
  if (input.measured)
    for (const trace::MeasuredTrace::Step &step : input.measured->typical)
      end = std::max(end, step.end);
  return end;
}

/// The bars of a lane or of a queue. What is narrower than half a pixel joins its neighbours, so
/// that a step of ten thousand instructions is a page that opens.
std::string drawBars(const plan::Plan &plan, const plan::Program &program,
                     const std::vector<Bar> &bars, const std::string &idle, const Axis &axis,
                     double y, double height) {
  std::string svg = rect("wait", axis.left, y, axis.width, height, idle);
  constexpr double kNarrow = 0.5;
  double from = -1, to = 0;
  unsigned joined = 0;
  const char *style = "";
  std::string title, inside; // inside: written on a bar that has room
  auto flush = [&] {
    constexpr double kRoom = 56;
    if (from >= 0 && to > from)
      svg += rect(style, axis.at(from), y, std::max(0.4, axis.at(to) - axis.at(from)), height,
                  joined == 1
                      ? title + ", " + inSeconds(to - from)
                      : std::to_string(joined) + " short instructions, " + inSeconds(to - from));
    if (joined == 1 && !inside.empty() && axis.at(to) - axis.at(from) > kRoom)
      svg += "<text class=\"inside\" text-anchor=\"middle\" x=\"" +
             coordinate(axis.at((from + to) / 2)) + "\" y=\"" + coordinate(y + height / 2 + 4) +
             "\">" + escapeHtml(inside) + "</text>\n";
    from = -1;
    joined = 0;
  };
  for (const Bar &bar : bars) {
    bool narrow = axis.at(bar.span.end) - axis.at(bar.span.start) < kNarrow;
    bool joins = from >= 0 && narrow && llvm::StringRef(bar.style) == style &&
                 axis.at(bar.span.start) - axis.at(to) < kNarrow &&
                 axis.at(to) - axis.at(from) < 8 * kNarrow;
    if (!joins) {
      flush();
      from = bar.span.start;
      style = bar.style;
      const plan::Instruction &instruction = program.instructions(bar.instruction);
      title = instructionTitle(plan, program, instruction);
      inside = llvm::StringRef(style) == "copy"
                   ? inBytes(program.buffers(int(instruction.copy().to())).bytes())
                   : "";
    }
    to = bar.span.end;
    ++joined;
  }
  flush();
  return svg;
}

/// A lane or a queue in the picture of a step.
struct LaneRow {
  std::string label; ///< drawn left of the bars
  const plan::Program *program;
  std::vector<Bar> bars;
  std::string idle; ///< what a gap means
  double y, height;
};

/// The rows over one step. `zoom` times as wide, where it is not 1.
std::string drawRows(const ReportInput &input, const std::vector<LaneRow> &rows, double top,
                     double bottom, const std::string &title, const std::string &id,
                     unsigned zoom) {
  const Axis axis(endOf(input), zoom);
  std::string names, svg = axis.draw(top, bottom);
  for (const LaneRow &row : rows) {
    (zoom == 1 ? svg : names) += row.label;
    svg += drawBars(input.plan, *row.program, row.bars, row.idle, axis, row.y, row.height);
  }
  if (zoom == 1)
    return openSvg(title, id, bottom + 24) + svg + "</svg>\n";
  return "<svg class=\"names\" aria-hidden=\"true\" width=\"" + coordinate(kLabel) +
         "\" height=\"" + coordinate(bottom + 24) + "\">\n" + names + "</svg>\n" +
         openSvg(title + ", " + std::to_string(zoom) + " times as wide",
                 id + "-" + std::to_string(zoom), bottom + 24, axis.width + 2 * kRight) +
         svg + "</svg>\n";
}

/// The picture of a step in three widths. Buttons choose one without a script: a radio button that
/// is checked shows the figure of its number.
std::string drawZoomed(const ReportInput &input, const std::vector<LaneRow> &rows, double top,
                       double bottom, const std::string &title, const std::string &id) {
  constexpr size_t kMostBars = 20000; // of which wider pictures would be too large a page
  size_t bars = 0;
  for (const LaneRow &row : rows)
    bars += row.bars.size();
  std::string buttons, figures;
  for (unsigned zoom : {1u, 4u, 16u}) {
    if (zoom > 1 && bars > kMostBars)
      break;
    const std::string button = id + "-zoom-" + std::to_string(zoom);
    buttons += "<input type=\"radio\" name=\"" + id + "-zoom\" id=\"" + button + "\"" +
               (zoom == 1 ? " checked" : "") + "><label for=\"" + button + "\">" +
               std::to_string(zoom) + "×</label>\n";
    figures += "<figure tabindex=\"0\" role=\"group\">\n" +
               drawRows(input, rows, top, bottom, title, id, zoom) + "</figure>\n";
  }
  return "<div class=\"zoom\"><span class=\"soft\">Zoom</span>\n" + buttons + figures + "</div>\n";
}

/// How long an arena buffer holds something: from its first to its last instruction.
struct Life {
  int first = -1, last = -1;
};

std::vector<Life> livesOf(const plan::Plan &plan, const plan::Program &program) {
  std::vector<Life> lives(size_t(program.buffers_size()));
  std::map<std::pair<uint32_t, plan::ChannelAction>, std::vector<uint32_t>> lent; // by what ends it
  for (int i = 0; i < program.instructions_size(); ++i) {
    const plan::Instruction &instruction = program.instructions(i);
    auto use = [&](uint32_t buffer) {
      if (buffer >= lives.size())
        return;
      if (lives[buffer].first < 0)
        lives[buffer].first = i;
      lives[buffer].last = i;
    };
    const plan::InstructionEffects effects = plan::effectsOf(plan, program, instruction);
    for (const plan::ChannelEffect &effect : effects.channels)
      llvm::for_each(lent[{effect.channel, effect.action}], use);
    for (const plan::BufferEffect &effect : effects.buffers) {
      use(effect.buffer);
      if (effect.until == plan::BufferHold::Done ||
          effect.until == plan::BufferHold::ReceivedThenDone)
        lent[{effects.channels.front().channel, plan::ChannelAction::Done}].push_back(
            effect.buffer);
      else if (effect.until == plan::BufferHold::Received)
        lent[{effects.channels.front().channel, plan::ChannelAction::Receive}].push_back(
            effect.buffer);
    }
  }
  auto untilEnd = [&](uint32_t buffer) { lives[buffer].last = program.instructions_size() - 1; };
  for (const plan::Port &port : program.fetches())
    untilEnd(port.buffer());
  for (const plan::Metric &metric : program.metrics()) {
    untilEnd(metric.sum());
    untilEnd(metric.count());
  }
  for (const plan::Port &port : program.feeds())
    lives[port.buffer()].first = 0;
  return lives;
}

/// When each instruction is done: of what a queue does, that queue's time.
std::vector<StepTimeline::Span> timesOf(const StepPrediction::LaneTimes &lane) {
  std::vector<StepTimeline::Span> times = lane.spans;
  for (const StepPrediction::Queue &queue : lane.queues)
    for (auto [i, span] : llvm::zip(queue.instructions, queue.spans))
      times[size_t(i)] = span;
  return times;
}

/// What the lanes of one device hold together in one space of their arenas, in the order of time:
/// by how much it changes when. Views share a place and count once.
std::vector<std::pair<double, int64_t>>
changesOf(const ReportInput &input, const std::vector<const StepPrediction::LaneTimes *> &lanes,
          plan::Space space) {
  std::vector<std::pair<double, int64_t>> changes;
  for (const StepPrediction::LaneTimes *lane : lanes) {
    const plan::Program &program = input.plan.programs(int(lane->program));
    const std::vector<Life> lives = livesOf(input.plan, program);
    const std::vector<StepTimeline::Span> times = timesOf(*lane);
    // (offset, bytes): end of what is counted already
    std::map<std::pair<uint64_t, uint64_t>, int> lastOf;
    for (int i = 0; i < program.buffers_size(); ++i) {
      const plan::Buffer &buffer = program.buffers(i);
      Life life = lives[size_t(i)];
      if (!buffer.has_arena() || buffer.space() != space || life.first < 0 || buffer.bytes() == 0)
        continue;
      auto [last, isNew] = lastOf.try_emplace({buffer.arena().offset(), buffer.bytes()}, -1);
      life.first = std::max(life.first, last->second + 1);
      if (life.first > life.last)
        continue;
      last->second = life.last;
      const double begin = times[size_t(life.first)].start, end = times[size_t(life.last)].end;
      const auto bytes = int64_t(buffer.bytes() * lanesPerTask(program));
      changes.emplace_back(begin, bytes);
      changes.emplace_back(std::max(begin, end), -bytes);
    }
  }
  llvm::sort(changes); // what one gives back at an instant is there for another
  return changes;
}

/// One of a device's memories: what it is called, what always lies there, and what is reserved in
/// all.
struct Store {
  plan::Space space;
  std::string what, fixed; ///< what: "" of the only one
  uint64_t base, reserved;
};

std::vector<Store> storesOf(const PlanFootprint::Device &device) {
  const uint64_t held = device.variables + device.constants;
  const std::string constants = device.constants ? ", constants" : "";
  if (!device.ownMemory)
    return {{plan::HOST, "", "variables" + constants + " and channels", held + device.channels,
             device.total()}};
  return {{plan::DEVICE, "own memory", "variables" + constants, held, device.total()},
          {plan::HOST, "of the host", "copies of variables and channels",
           device.ofHost() - device.pinnedArena, device.ofHost()}};
}

std::string drawDeviceMemory(const ReportInput &input,
                             const std::vector<const StepPrediction::LaneTimes *> &lanes,
                             unsigned row, const Store &store, const Axis &axis) {
  // `reserved` is for the phase that needs most; messages of this one may need less than `base`
  // says.
  const uint64_t base = store.base, reserved = store.reserved;
  const std::vector<std::pair<double, int64_t>> changes = changesOf(input, lanes, store.space);
  uint64_t now = base, peak = base;
  for (auto [time, change] : changes)
    peak = std::max(peak, now += uint64_t(change));
  double top = 14, bottom = 114, scale = double(std::max<uint64_t>({reserved, peak, 1}));
  auto y = [&](uint64_t bytes) { return bottom - double(bytes) / scale * (bottom - top); };
  std::string path = "M" + coordinate(kLabel) + " " + coordinate(y(base));
  double drawn = -1;
  uint64_t shown = now = base;
  for (auto [time, change] : changes) {
    now += uint64_t(change);
    double x = axis.at(time);
    if (now == shown || (x - drawn < 0.3 && now < shown))
      continue;
    path += " H" + coordinate(x) + " V" + coordinate(y(now));
    shown = now;
    drawn = x;
  }
  path += " H" + coordinate(kLabel + kPlot) + " V" + coordinate(y(base)) + " Z";
  std::string programs;
  for (const StepPrediction::LaneTimes *lane : lanes)
    programs += (programs.empty() ? "" : ", ") + input.plan.programs(int(lane->program)).name();
  const PlanFootprint::Device &device = input.footprint.devices[row];
  const std::string name =
      device.name + (device.instances > 1 ? " ×" + std::to_string(device.instances) : "");
  const std::string comma = store.what.empty() ? "" : ", ";
  std::string title = device.name + comma + store.what + ": at most " + inBytes(peak) +
                      " in use, " + inBytes(reserved) + " reserved, of which " + inBytes(base) +
                      " " + store.fixed;
  const bool isSecond = device.ownMemory && store.space == plan::HOST;
  std::string svg =
      openSvg(title, "memory-" + std::to_string(row) + (isSecond ? "-host" : ""), bottom + 24);
  svg += axis.draw(top, bottom) + label(name, store.what + comma + programs, top + 14);
  svg += "<text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 50) + "\">peak " + inBytes(peak) +
         "</text><text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 66) + "\">reserved " +
         inBytes(reserved) + "</text><text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 82) +
         "\">fixed " + inBytes(base) + "</text>\n";
  svg += rect("base", kLabel, y(base), kPlot, bottom - y(base), store.fixed + ": " + inBytes(base));
  svg +=
      "<path class=\"area\" d=\"" + path + "\"><title>" + escapeHtml(title) + "</title></path>\n";
  svg += "<line class=\"limit\" x1=\"" + coordinate(kLabel) + "\" x2=\"" +
         coordinate(kLabel + kPlot) + "\" y1=\"" + coordinate(y(reserved)) + "\" y2=\"" +
         coordinate(y(reserved)) + "\"/>\n</svg>\n";
  return svg;
}

} // namespace

double spanOf(const StepPrediction &prediction) {
  double end = 0;
  for (const StepPrediction::LaneTimes &lane : prediction.lanes)
    for (const StepTimeline::Span &span : lane.spans)
      end = std::max(end, span.end);
  return end;
}

std::string drawTimeline(const ReportInput &input) {
  constexpr double kRow = 46, kBar = 26, kTop = 8, kQueueRow = 24, kQueueBar = 16;
  std::vector<LaneRow> rows;
  double y = kTop + 8;
  for (const StepPrediction::LaneTimes &lane : input.prediction.lanes) {
    const plan::Program &program = input.plan.programs(int(lane.program));
    rows.push_back({laneLabel(input.plan, program, y + 10), &program, barsOf(input.plan, lane),
                    program.name() + " waits", y, kBar});
    y += kRow - (lane.queues.empty() ? 0 : 8);
    for (const StepPrediction::Queue &queue : lane.queues) {
      rows.push_back({"<text class=\"soft\" x=\"14\" y=\"" + coordinate(y + 12) + "\">queue " +
                          std::to_string(queue.number) + ": " +
                          escapeHtml(queueText(program, queue)) + "</text>",
                      &program, barsOf(input.plan, program, queue), "nothing to do", y, kQueueBar});
      y += kQueueRow;
    }
    y += lane.queues.empty() ? 0 : 8;
  }
  return drawZoomed(input, rows, kTop, y - 8, "One predicted step, lane by lane", "timeline-title");
}

std::string drawMeasured(const ReportInput &input) {
  constexpr double kRow = 46, kBar = 26, kTop = 8;
  std::vector<LaneRow> rows;
  double y = kTop + 8;
  for (const trace::MeasuredTrace::Step &step : input.measured->typical) {
    const plan::Program &program = input.plan.programs(int(step.program));
    const plan::Task task = plan::instanceTask(input.plan, program, step.instance);
    const std::string name =
        program.name() + (program.instances() > 1 ? "[" + std::to_string(step.instance) + "]" : "");
    rows.push_back(
        {label(name, plan::taskText(input.plan, task) + "/device:" + program.device(), y + 10),
         &program, barsOf(input.plan, step), name + " waits", y, kBar});
    y += kRow;
  }
  return drawZoomed(input, rows, kTop, y - 8, "One measured step, lane by lane", "measured-title");
}

std::string drawMemory(const ReportInput &input) {
  const Axis axis(spanOf(input.prediction));
  DeviceRows rows(input.plan);
  std::map<unsigned, std::vector<const StepPrediction::LaneTimes *>> byRow;
  for (const StepPrediction::LaneTimes &lane : input.prediction.lanes)
    if (!lane.spans.empty())
      for (unsigned row : rows.of(input.plan.programs(int(lane.program))))
        byRow[row].push_back(&lane);
  std::string all;
  for (auto &[row, lanes] : byRow)
    for (const Store &store : storesOf(input.footprint.devices[row]))
      all += drawDeviceMemory(input, lanes, row, store, axis);
  return all;
}

} // namespace graphc
