//===- ReportTimeline.cpp - one predicted step, lane by lane: time and memory ---------------------------------------===//
#include "tools/graphc/ReportParts.h"

#include "runtime/plan/Effects.h"
#include "runtime/plan/Types.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace graphc {
namespace {

constexpr double kLabel = 220, kPlot = 820, kRight = 30;

/// The class of an instruction's bar.
const char *styleOf(const plan::Plan &plan, const plan::Program &program, const plan::Instruction &instruction) {
  if (instruction.has_call())
    return plan.kernels(int(instruction.call().kernel())).has_library() ? "library" : "call";
  if (instruction.has_next_batch())
    return "data";
  const plan::Effects effects = plan::effectsOf(plan, program, instruction);
  return !effects.channels.empty() && plan::ofSender(effects.channels.front().action) ? "send" : "take";
}

/// The end of the last lane, and where ticks stand.
struct Axis {
  explicit Axis(const Prediction &prediction) {
    for (const Prediction::Lane &lane : prediction.lanes)
      for (const Timeline::Span &span : lane.spans)
        end = std::max(end, span.end);
    if (end <= 0)
      end = 1e-9;
    double raw = end / 6, power = std::pow(10, std::floor(std::log10(raw)));
    tick = (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1) * power;
  }
  double at(double seconds) const { return kLabel + seconds / end * kPlot; }

  /// Lines over the height of the plot, and times under it.
  std::string draw(double top, double bottom) const {
    std::string svg;
    for (double time = 0; time <= end * 1.0001; time += tick) {
      std::string x = coordinate(at(time));
      svg += "<line class=\"axis\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"" + coordinate(top) + "\" y2=\"" +
             coordinate(bottom) + "\"/><text class=\"soft\" text-anchor=\"middle\" x=\"" + x + "\" y=\"" +
             coordinate(bottom + 16) + "\">" + escapeHtml(time == 0 ? "0" : inSeconds(time)) + "</text>\n";
    }
    return svg;
  }

  double end = 0, tick = 0;
};

std::string rect(const char *style, double x, double y, double width, double height, const std::string &title) {
  return std::string("<rect class=\"") + style + "\" x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" +
         coordinate(width) + "\" height=\"" + coordinate(height) + "\"><title>" + escapeHtml(title) +
         "</title></rect>\n";
}

std::string openSvg(const std::string &title, const std::string &id, double height) {
  double width = kLabel + kPlot + kRight;
  return "<svg role=\"img\" aria-labelledby=\"" + id + "\" width=\"" + coordinate(width) + "\" height=\"" +
         coordinate(height) + "\" viewBox=\"0 0 " + coordinate(width) + " " + coordinate(height) + "\">\n<title id=\"" +
         id + "\">" + escapeHtml(title) + "</title>\n";
}

/// Two lines left of a plot, cut to its width and whole on hover.
std::string label(const std::string &first, const std::string &second, double y) {
  auto cut = [](const std::string &text) { return text.size() <= 30 ? text : text.substr(0, 29) + "…"; };
  return "<text class=\"strong\" x=\"0\" y=\"" + coordinate(y) + "\">" + escapeHtml(cut(first)) + "<title>" +
         escapeHtml(first) + "</title></text><text class=\"soft\" x=\"0\" y=\"" + coordinate(y + 15) + "\">" +
         escapeHtml(cut(second)) + "<title>" + escapeHtml(second) + "</title></text>\n";
}

std::string laneLabel(const plan::Plan &plan, const plan::Program &program, double y) {
  return label(program.name() + (program.instances() > 1 ? " ×" + std::to_string(program.instances()) : ""),
               placeName(plan, program), y);
}

/// The bars of one lane. What is narrower than half a pixel joins its neighbours, so that a step of ten thousand
/// instructions is a page that opens.
std::string drawLane(const plan::Plan &plan, const Prediction::Lane &lane, const Axis &axis, double y, double height) {
  const plan::Program &program = plan.programs(int(lane.program));
  std::string svg = rect("wait", kLabel, y, kPlot, height, program.name() + " waits");
  constexpr double kNarrow = 0.5;
  double from = -1, to = 0;
  unsigned joined = 0;
  const char *style = "";
  std::string title;
  auto flush = [&] {
    if (from >= 0 && to > from)
      svg += rect(style, axis.at(from), y, std::max(0.4, axis.at(to) - axis.at(from)), height,
                  joined == 1 ? title + ", " + inSeconds(to - from)
                              : std::to_string(joined) + " short instructions, " + inSeconds(to - from));
    from = -1;
    joined = 0;
  };
  for (auto [i, span] : llvm::enumerate(lane.spans)) {
    const plan::Instruction &instruction = program.instructions(int(i));
    const char *own = styleOf(plan, program, instruction);
    bool narrow = axis.at(span.end) - axis.at(span.start) < kNarrow;
    bool joins = from >= 0 && narrow && own == style && axis.at(span.start) - axis.at(to) < kNarrow &&
                 axis.at(to) - axis.at(from) < 8 * kNarrow;
    if (!joins) {
      flush();
      from = span.start;
      style = own;
      title = instructionText(plan, instruction);
    }
    to = span.end;
    ++joined;
  }
  flush();
  return svg;
}

/// How long an arena buffer holds something: from its first to its last instruction.
struct Life {
  int first = -1, last = -1;
};

std::vector<Life> livesOf(const plan::Plan &plan, const plan::Program &program) {
  std::vector<Life> lives(size_t(program.buffers_size()));
  std::map<std::pair<uint32_t, plan::Action>, std::vector<uint32_t>> lent; // by what ends it
  for (int i = 0; i < program.instructions_size(); ++i) {
    const plan::Instruction &instruction = program.instructions(i);
    auto use = [&](uint32_t buffer) {
      if (buffer >= lives.size())
        return;
      if (lives[buffer].first < 0)
        lives[buffer].first = i;
      lives[buffer].last = i;
    };
    const plan::Effects effects = plan::effectsOf(plan, program, instruction);
    for (const plan::ChannelEffect &effect : effects.channels)
      llvm::for_each(lent[{effect.channel, effect.action}], use);
    for (const plan::BufferEffect &effect : effects.buffers) {
      use(effect.buffer);
      if (effect.until == plan::Until::Done || effect.until == plan::Until::ReceivedThenDone)
        lent[{effects.channels.front().channel, plan::Action::Done}].push_back(effect.buffer);
      else if (effect.until == plan::Until::Received)
        lent[{effects.channels.front().channel, plan::Action::Receive}].push_back(effect.buffer);
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

/// Live bytes after each instruction; views share a place and count once.
std::vector<uint64_t> liveBytes(const plan::Plan &plan, const plan::Program &program) {
  std::vector<int64_t> change(size_t(program.instructions_size()) + 1, 0);
  std::vector<Life> lives = livesOf(plan, program);
  std::map<std::tuple<plan::Space, uint64_t, uint64_t>, int>
      lastOf; // (space, offset, bytes): end of what is counted already
  for (int i = 0; i < program.buffers_size(); ++i) {
    const plan::Buffer &buffer = program.buffers(i);
    Life life = lives[size_t(i)];
    if (!buffer.has_arena() || life.first < 0 || buffer.bytes() == 0)
      continue;
    auto [last, isNew] = lastOf.try_emplace({buffer.space(), buffer.arena().offset(), buffer.bytes()}, -1);
    life.first = std::max(life.first, last->second + 1);
    if (life.first > life.last)
      continue;
    last->second = life.last;
    change[size_t(life.first)] += int64_t(buffer.bytes());
    change[size_t(life.last) + 1] -= int64_t(buffer.bytes());
  }
  std::vector<uint64_t> live;
  int64_t now = 0;
  for (int i = 0; i < program.instructions_size(); ++i)
    live.push_back(uint64_t(std::max<int64_t>(0, now += change[size_t(i)])));
  return live;
}

/// What the lanes of one device hold together, in the order of time: by how much it changes when.
std::vector<std::pair<double, int64_t>> changesOf(const ReportInput &input,
                                                  const std::vector<const Prediction::Lane *> &lanes) {
  std::vector<std::pair<double, int64_t>> changes;
  for (const Prediction::Lane *lane : lanes) {
    const plan::Program &program = input.plan.programs(int(lane->program));
    int64_t held = 0;
    for (auto [i, live] : llvm::enumerate(liveBytes(input.plan, program)))
      if (int64_t now = int64_t(live * lanesPerTask(program)); now != held) {
        changes.emplace_back(lane->spans[i].start, now - held);
        held = now;
      }
  }
  llvm::sort(changes); // what one gives back at an instant is there for another
  return changes;
}

std::string drawDeviceMemory(const ReportInput &input, const std::vector<const Prediction::Lane *> &lanes, unsigned row,
                             const Axis &axis) {
  const Footprint::Device &device = input.footprint.devices[row];
  // `reserved` is for the phase that needs most; messages of this one may need less than `base` says.
  const uint64_t base = device.variables + device.channels, reserved = device.total();
  const std::vector<std::pair<double, int64_t>> changes = changesOf(input, lanes);
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
  for (const Prediction::Lane *lane : lanes)
    programs += (programs.empty() ? "" : ", ") + input.plan.programs(int(lane->program)).name();
  std::string title = device.name + ": at most " + inBytes(peak) + " in use, " + inBytes(reserved) +
                      " reserved, of which " + inBytes(base) + " variables and channels";
  std::string svg = openSvg(title, "memory-" + std::to_string(row), bottom + 24);
  svg += axis.draw(top, bottom) +
         label(device.name + (device.instances > 1 ? " ×" + std::to_string(device.instances) : ""), programs, top + 14);
  svg += "<text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 50) + "\">peak " + inBytes(peak) +
         "</text><text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 66) + "\">reserved " + inBytes(reserved) +
         "</text><text class=\"soft\" x=\"0\" y=\"" + coordinate(top + 82) + "\">fixed " + inBytes(base) + "</text>\n";
  svg += rect("base", kLabel, y(base), kPlot, bottom - y(base), "variables and channels: " + inBytes(base));
  svg += "<path class=\"area\" d=\"" + path + "\"><title>" + escapeHtml(title) + "</title></path>\n";
  svg += "<line class=\"limit\" x1=\"" + coordinate(kLabel) + "\" x2=\"" + coordinate(kLabel + kPlot) + "\" y1=\"" +
         coordinate(y(reserved)) + "\" y2=\"" + coordinate(y(reserved)) + "\"/>\n</svg>\n";
  return svg;
}

} // namespace

std::string drawTimeline(const ReportInput &input) {
  Axis axis(input.prediction);
  constexpr double kRow = 46, kBar = 26, kTop = 8;
  double bottom = kTop + kRow * double(input.prediction.lanes.size());
  std::string svg = openSvg("One predicted step, lane by lane", "timeline-title", bottom + 24);
  svg += axis.draw(kTop, bottom);
  for (auto [i, lane] : llvm::enumerate(input.prediction.lanes)) {
    double y = kTop + kRow * double(i) + 8;
    svg += laneLabel(input.plan, input.plan.programs(int(lane.program)), y + 10) +
           drawLane(input.plan, lane, axis, y, kBar);
  }
  return svg + "</svg>\n";
}

std::string drawMemory(const ReportInput &input) {
  Axis axis(input.prediction);
  Rows rows(input.plan);
  std::map<unsigned, std::vector<const Prediction::Lane *>> byRow;
  for (const Prediction::Lane &lane : input.prediction.lanes)
    if (!lane.spans.empty())
      for (unsigned row : rows.of(input.plan.programs(int(lane.program))))
        byRow[row].push_back(&lane);
  std::string all;
  for (auto &[row, lanes] : byRow)
    all += drawDeviceMemory(input, lanes, row, axis);
  return all;
}

} // namespace graphc
