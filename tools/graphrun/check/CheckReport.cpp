#include "tools/graphrun/check/CheckReport.h"

#include "runtime/observe/ProgressLine.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <map>

namespace graphc::graphrun {
namespace {
/// A measurement of a moment on a shared machine; closer than this it says the same.
constexpr double kFar = 2, kFarMicroseconds = 50;

std::string rateText(double gigabits) {
  return gigabits < 1 ? absl::StrFormat("%.3g Mbit/s", gigabits * 1000)
                      : absl::StrFormat("%.3g Gbit/s", gigabits);
}
/// "data set train: 50 samples from images": what stands after the colon.
absl::string_view sourceOf(const service::CheckedData &data) {
  absl::string_view text = data.source();
  size_t colon = text.find(": ");
  return colon == absl::string_view::npos ? text : text.substr(colon + 2);
}

std::string latencyText(double microseconds) { return absl::StrFormat("%.3g µs", microseconds); }
} // namespace

void CheckReport::add(const char *word, const std::string &text) {
  absl::StrAppendFormat(&text_, "%-6s %s\n", word, text);
}

void CheckReport::wrong(const std::string &text) {
  ++wrongs_;
  add("wrong", text);
}

std::string linkText(const std::string &ends, const LinkFigures &figures,
                     const cluster::LinkConfig *said, bool *far) {
  std::string text =
      absl::StrCat(ends, ": ", latencyText(figures.latencyMicroseconds), " one way, ",
                   rateText(figures.there), " there, ", rateText(figures.back), " back");
  *far = false;
  if (!said)
    return text;
  absl::StrAppend(&text, "; links says ", latencyText(said->latencyMicroseconds), ", ",
                  rateText(said->gigabitsPerSecond));
  double rate = std::min(figures.there, figures.back), expected = said->gigabitsPerSecond;
  std::vector<std::string> remarks;
  if (rate * kFar < expected)
    remarks.push_back(absl::StrFormat("%.2g times less bandwidth", expected / rate));
  if (rate > expected * kFar)
    remarks.push_back(absl::StrFormat("%.2g times more bandwidth", rate / expected));
  if (figures.latencyMicroseconds > said->latencyMicroseconds * kFar + kFarMicroseconds)
    remarks.push_back(absl::StrCat(
        latencyText(figures.latencyMicroseconds - said->latencyMicroseconds), " more latency"));
  if (said->latencyMicroseconds > figures.latencyMicroseconds * kFar + kFarMicroseconds)
    remarks.push_back(absl::StrCat(
        latencyText(said->latencyMicroseconds - figures.latencyMicroseconds), " less latency"));
  *far = !remarks.empty();
  return *far ? absl::StrCat(text, ": ", absl::StrJoin(remarks, " and "),
                             " than said; predictions count on what is said")
              : text;
}

const cluster::LinkConfig *findLink(const std::vector<cluster::LinkConfig> &links,
                                    const cluster::TaskRef &a, const cluster::TaskRef &b) {
  auto name = [](const cluster::TaskRef &task) {
    cluster::DeviceSpec device;
    device.job = task.job;
    device.task = task.index;
    return device;
  };
  for (const cluster::LinkConfig &link : links)
    if ((link.from.compatibleWith(name(a)) && link.to.compatibleWith(name(b))) ||
        (link.from.compatibleWith(name(b)) && link.to.compatibleWith(name(a))))
      return &link;
  return nullptr;
}

void compareData(const std::vector<std::string> &names, const std::vector<std::string> &sets,
                 const std::vector<std::optional<service::CheckReport>> &reports,
                 CheckReport *report) {
  struct Reader {
    std::string task;
    const service::CheckedData *data;
  };
  std::map<uint32_t, std::vector<Reader>> readers; // by data set
  for (size_t task = 0; task < reports.size(); ++task)
    if (reports[task])
      for (const service::CheckedData &data : reports[task]->data())
        if (data.dataset() < sets.size())
          readers[data.dataset()].push_back({names[task], &data});
  for (const auto &[set, all] : readers) {
    const Reader &first = all.front();
    std::vector<std::string> same;
    for (const Reader &one : all) {
      bool samples = one.data->samples() == first.data->samples();
      if (samples && one.data->crc() == first.data->crc()) {
        same.push_back(one.task);
        continue;
      }
      report->wrong(absl::StrCat(
          "data set ", sets[set], " differs: ", sourceOf(*first.data), " on ", first.task, ", ",
          sourceOf(*one.data), " on ", one.task, samples ? ": as many samples, other contents" : "",
          "; all workers take turns in one stream, so give them the same files"));
    }
    report->ok(absl::StrCat("data set ", sets[set], ": ",
                            observe::withThousands(first.data->samples()), " samples, ",
                            all.size() == 1             ? "read by "
                            : same.size() == all.size() ? "the same on "
                                                        : "on ",
                            absl::StrJoin(same, ", ")));
  }
}

} // namespace graphc::graphrun
