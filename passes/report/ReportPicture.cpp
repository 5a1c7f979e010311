//===- ReportPicture.cpp - devices as boxes, channels as arrows -------------------------------===//
#include "passes/report/ReportParts.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace graphc {
namespace {

constexpr double kLeastWidth = 280, kPadding = 16, kLetter = 7.6, kLabelWidth = 190, kHead = 84,
                 kPort = 24, kGap = 230, kMargin = 20, kLoop = 190;

struct Box {
  const PlanFootprint::Device *device;
  unsigned column = 0;
  double x = 0, y = 0, height = 0;
  unsigned left = 0, right = 0; ///< ports taken so far on each side
};

std::string titleOf(const Box &box) {
  return box.device->name +
         (box.device->instances > 1 ? " ×" + std::to_string(box.device->instances) : "");
}

/// All channels from one device to another.
struct Arrow {
  unsigned from = 0, to = 0;
  uint64_t bytes = 0;
  bool atMost = false; ///< some messages have an actual size
  unsigned channels = 0;
  bool control = true; ///< nothing but words of the chief
  bool leavesRight = true, entersRight = false; ///< sides
  unsigned leavePort = 0, enterPort = 0;
};

std::string labelOf(const Arrow &arrow) {
  return (arrow.atMost ? "≤ " : "") + inBytes(arrow.bytes) + " · " +
         std::to_string(arrow.channels) + (arrow.channels == 1 ? " channel" : " channels");
}

class Picture {
public:
  explicit Picture(const ReportInput &input) : plan_(input.plan), footprint_(input.footprint) {}
  std::string draw();

private:
  void collect();
  void layout();
  std::string drawBox(const Box &box) const;
  std::string drawArrow(const Arrow &arrow) const;
  std::string drawLabel(const Arrow &arrow) const;
  double thicknessOf(const Arrow &arrow) const {
    return 1.5 + 5 * std::sqrt(double(arrow.bytes) / double(most_));
  }
  double portX(const Box &box, bool right) const { return box.x + (right ? boxWidth_ : 0); }
  double portY(const Box &box, unsigned port) const { return box.y + kHead + (port + 0.5) * kPort; }

  const plan::Plan &plan_;
  const PlanFootprint &footprint_;
  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
  uint64_t most_ = 1;
  double boxWidth_ = kLeastWidth, width_ = 0, height_ = 0;
};

void Picture::collect() {
  llvm::MapVector<std::pair<unsigned, unsigned>, Arrow> pairs;
  DeviceRows rows(plan_);
  for (const PlanFootprint::Device &device : footprint_.devices)
    boxes_.push_back({&device});
  const ChannelBytes bytes(plan_);
  for (const plan::Channel &channel : plan_.channels()) {
    const plan::Program &sender = plan_.programs(int(channel.sender())),
                        &receiver = plan_.programs(int(channel.receiver()));
    if (int(sender.phase()) != mainPhase(plan_))
      continue;
    // Messages by pair of boxes: of each instance to its other end, or of each to all others.
    std::map<std::pair<unsigned, unsigned>, uint64_t> messages;
    uint64_t all = 0;
    if (channel.all_to_all()) {
      for (unsigned from : rows.of(sender))
        for (unsigned to : rows.of(receiver))
          all += messages[{from, to}] =
              uint64_t(rows.all()[from].tasks) * (rows.all()[to].tasks - (from == to));
    } else {
      for (uint32_t i = 0; i < std::max(1u, channel.instances()); ++i, ++all)
        ++messages[{rows.of(sender, i), rows.of(receiver, i)}];
    }
    for (auto [ends, count] : messages) {
      if (count == 0 || (ends.first == ends.second && !crossesTasks(plan_, channel)))
        continue;
      Arrow &arrow = pairs[ends];
      std::tie(arrow.from, arrow.to) = ends;
      if (channel.control())
        continue;
      arrow.control = false;
      arrow.bytes += bytes.perStep(channel) * count / all;
      arrow.atMost |= channel.unit_bytes() > 0;
      ++arrow.channels;
    }
  }
  for (auto &[key, arrow] : pairs)
    if (!arrow.control) // the control message goes everywhere and says nothing of the model
      arrows_.push_back(arrow);
  for (const Arrow &arrow : arrows_)
    most_ = std::max(most_, arrow.bytes);
}

/// One column a job, in the order of the cluster; a port on a box's side for each end of an arrow.
void Picture::layout() {
  std::vector<std::string> jobs;
  for (Box &box : boxes_) {
    std::string job = llvm::StringRef(box.device->name).drop_front().split('/').first.str();
    auto found = llvm::find(jobs, job);
    box.column = unsigned(found - jobs.begin());
    if (found == jobs.end())
      jobs.push_back(job);
  }
  for (Arrow &arrow : arrows_) {
    Box &from = boxes_[arrow.from], &to = boxes_[arrow.to];
    arrow.leavesRight = to.column >= from.column;
    arrow.entersRight = to.column <= from.column;
    arrow.leavePort = arrow.leavesRight ? from.right++ : from.left++;
    arrow.enterPort = arrow.entersRight ? to.right++ : to.left++;
  }
  for (const Box &box : boxes_) {
    // as wide as its name in bold letters, whatever font the reader has
    boxWidth_ = std::max(boxWidth_, 2 * kPadding + kLetter * double(titleOf(box).size()));
    if (box.left && box.right)
      boxWidth_ = std::max(boxWidth_, 2 * kLabelWidth + kPadding);
  }
  std::vector<double> bottoms(jobs.size(), kMargin);
  bool loops = llvm::any_of(
      arrows_, [&](const Arrow &a) { return boxes_[a.from].column == boxes_[a.to].column; });
  for (Box &box : boxes_) {
    box.height = kHead + std::max({box.left, box.right, 0u}) * kPort + 10;
    box.x = kMargin + box.column * (boxWidth_ + kGap);
    box.y = bottoms[box.column];
    bottoms[box.column] += box.height + 26;
    height_ = std::max(height_, bottoms[box.column]);
    width_ = std::max(width_, box.x + boxWidth_ + kMargin + (loops ? kLoop : 0));
  }
  for (Box &box : boxes_) // shorter columns stand in the middle
    box.y += (height_ - bottoms[box.column]) / 2;
}

std::string Picture::drawBox(const Box &box) const {
  const PlanFootprint::Device &device = *box.device;
  std::string text;
  auto line = [&](double dy, const char *style, const std::string &content) {
    text += "<text x=\"" + coordinate(box.x + kPadding) + "\" y=\"" + coordinate(box.y + dy) +
            "\" class=\"" + style + "\">" + escapeHtml(content) + "</text>";
  };
  text += "<rect class=\"box\" rx=\"9\" x=\"" + coordinate(box.x) + "\" y=\"" + coordinate(box.y) +
          "\" width=\"" + coordinate(boxWidth_) + "\" height=\"" + coordinate(box.height) + "\"/>";
  line(24, "strong", titleOf(box));
  if (device.ownMemory) {
    line(43, "soft",
         "variables " + inBytes(device.variables) + ", arenas " + inBytes(device.arena));
    line(59, "soft",
         "host: pinned " + inBytes(device.pinned) + ", channels " + inBytes(device.channels));
    line(75, "soft",
         "PCIe: " + inBytes(device.copied.toDevice) + " in, " + inBytes(device.copied.fromDevice) +
             " out");
  } else {
    line(43, "soft", "variables " + inBytes(device.variables));
    line(59, "soft", "arenas " + inBytes(device.arena));
    line(75, "soft", "channels " + inBytes(device.channels));
  }
  return "<g>" + text + "</g>\n";
}

std::string Picture::drawArrow(const Arrow &arrow) const {
  const Box &from = boxes_[arrow.from], &to = boxes_[arrow.to];
  double x1 = portX(from, arrow.leavesRight), y1 = portY(from, arrow.leavePort);
  double x2 = portX(to, arrow.entersRight), y2 = portY(to, arrow.enterPort);
  double outX = arrow.leavesRight ? 1 : -1, inX = arrow.entersRight ? 1 : -1;
  double reach = from.column == to.column ? kLoop * 0.75 : std::abs(x2 - x1) * 0.45;
  double tipX = x2 + inX * 9; // the head's base
  std::string path = "M" + coordinate(x1) + " " + coordinate(y1) + " C" +
                     coordinate(x1 + outX * reach) + " " + coordinate(y1) + " " +
                     coordinate(tipX + inX * reach) + " " + coordinate(y2) + " " +
                     coordinate(tipX) + " " + coordinate(y2);
  const double half = 4 + thicknessOf(arrow) / 2;
  return "<g><title>" +
         escapeHtml(from.device->name + " to " + to.device->name + ": " + labelOf(arrow) +
                    " a step") +
         "</title><path class=\"edge\" stroke-width=\"" + coordinate(thicknessOf(arrow)) +
         "\" d=\"" + path + "\"/><path class=\"head\" d=\"M" + coordinate(x2) + " " +
         coordinate(y2) + " l" + coordinate(inX * 11) + " " + coordinate(-half) + " v" +
         coordinate(2 * half) + " z\"/></g>\n";
}

/// In the box where the arrow begins, beside that: there no other arrow is.
std::string Picture::drawLabel(const Arrow &arrow) const {
  const Box &from = boxes_[arrow.from];
  return std::string("<text text-anchor=\"") + (arrow.leavesRight ? "end" : "start") + "\" x=\"" +
         coordinate(portX(from, arrow.leavesRight) + (arrow.leavesRight ? -10 : 10)) + "\" y=\"" +
         coordinate(portY(from, arrow.leavePort) + 4) + "\">" + escapeHtml(labelOf(arrow)) +
         "</text>\n";
}

std::string Picture::draw() {
  collect();
  layout();
  std::string svg =
      "<svg role=\"img\" aria-labelledby=\"partition-title partition-desc\" width=\"" +
      coordinate(width_) + "\" height=\"" + coordinate(height_) + "\" viewBox=\"0 0 " +
      coordinate(width_) + " " + coordinate(height_) +
      "\">\n<title id=\"partition-title\">Devices and the bytes between them</title>" +
      "<desc id=\"partition-desc\">" + std::to_string(boxes_.size()) + " boxes, " +
      std::to_string(arrows_.size()) +
      " arrows; the table of channels below says the same.</desc>\n";
  for (const Arrow &arrow : arrows_)
    svg += drawArrow(arrow);
  for (const Box &box : boxes_)
    svg += drawBox(box);
  for (const Arrow &arrow : arrows_)
    svg += drawLabel(arrow);
  return svg + "</svg>\n";
}

} // namespace

std::string drawPartition(const ReportInput &input) { return Picture(input).draw(); }

} // namespace graphc
