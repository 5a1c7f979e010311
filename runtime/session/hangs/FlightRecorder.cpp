#include "runtime/session/hangs/FlightRecorder.h"

#include "runtime/common/base/Crc32c.h"
#include "runtime/common/base/MonotonicClock.h"
#include "runtime/common/base/StartThread.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanSketch.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/session/hangs/LaneWatch.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include <algorithm>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace graphc::session {
namespace {
constexpr absl::Duration kEvery = absl::Milliseconds(250), kLastWrite = absl::Seconds(1);
constexpr size_t kMostNotes = 200, kMostNote = 600;
constexpr char kMagic[8] = {'g', 'r', 'a', 'p', 'h', 'r', 'e', 'c'};

/// In front of the bytes of a half.
struct HalfHeader {
  char magic[8];
  uint64_t number;
  uint32_t bytes, crc; ///< of number, bytes and what follows
};
static_assert(sizeof(HalfHeader) == 24);

uint32_t crcOf(const HalfHeader &header, std::string_view bytes) {
  return base::crc32c(base::crc32c(0, &header.number, sizeof header.number + sizeof header.bytes),
                      bytes.data(), bytes.size());
}

/// Unless one of this plan is there: tasks that share the folder write the same.
absl::Status writeSketch(const std::string &directory, const plan::LoadedPlan &plan) {
  const std::string file = absl::StrCat(directory, "/", FlightRecorder::kSketch);
  service::Sketch sketch;
  if (absl::StatusOr<std::string> there = base::readFile(file, plan::maxPlanBytes);
      there.ok() && sketch.ParseFromString(*there) && sketch.fingerprint() == plan.fingerprint)
    return absl::OkStatus();
  sketch.set_fingerprint(plan.fingerprint);
  sketch.set_plan(plan::sketchOf(plan.plan).SerializeAsString());
  return base::writeFileAtomic(file, sketch.SerializeAsString());
}
} // namespace

std::string encodeHalf(uint64_t number, service::Recording recording) {
  std::string bytes = recording.SerializeAsString();
  while (bytes.size() > kHalfBytes - sizeof(HalfHeader)) {
    // A quarter of the events at a time, the oldest; then lanes. Of what is left nothing is so
    // long.
    const int events = recording.events_size();
    if (events == 0) {
      if (recording.lanes_size() == 0)
        recording.Clear();
      recording.mutable_lanes()->DeleteSubrange(
          recording.lanes_size() / 2, recording.lanes_size() - recording.lanes_size() / 2);
    } else {
      recording.mutable_events()->DeleteSubrange(0, std::max(1, events / 4));
      recording.set_events_before(recording.events_before() +
                                  static_cast<uint64_t>(std::max(1, events / 4)));
    }
    bytes = recording.SerializeAsString();
  }
  HalfHeader header{};
  memcpy(header.magic, kMagic, sizeof kMagic);
  header.number = number;
  header.bytes = static_cast<uint32_t>(bytes.size());
  header.crc = crcOf(header, bytes);
  return std::string(reinterpret_cast<const char *>(&header), sizeof header) + bytes;
}

absl::StatusOr<service::Recording> decodeRecording(std::string_view file) {
  std::optional<service::Recording> found;
  uint64_t newest = 0;
  for (size_t at : {size_t{0}, kHalfBytes}) {
    HalfHeader header;
    if (file.size() < at + sizeof header)
      continue;
    memcpy(&header, file.data() + at, sizeof header);
    const std::string_view rest = file.substr(at + sizeof header);
    if (memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.bytes > rest.size() ||
        header.bytes > kHalfBytes - sizeof header ||
        crcOf(header, rest.substr(0, header.bytes)) != header.crc ||
        (found && header.number <= newest))
      continue;
    service::Recording recording;
    if (!recording.ParseFromArray(rest.data(), static_cast<int>(header.bytes)) ||
        !service::checkHello(recording.self()).ok())
      continue;
    newest = header.number;
    found = std::move(recording);
  }
  if (!found)
    return absl::DataLossError("it is no recording of graphrun, or no half of it is whole");
  found->set_failure(base::foreignText(found->failure()));
  for (service::Recording::Event &event : *found->mutable_events())
    event.set_text(base::foreignText(event.text(), kMostNote));
  return *std::move(found);
}

absl::StatusOr<std::unique_ptr<FlightRecorder>>
FlightRecorder::open(const std::string &directory, const plan::LoadedPlan &plan,
                     service::Hello self, std::function<void(const std::string &)> warn) {
  const plan::Task task = plan::allTasks(plan.plan)[self.task()];
  const std::string file =
      absl::StrCat(directory, "/", plan.plan.jobs(static_cast<int>(task.job())).name(), "-",
                   task.index(), kEnding);
  const std::string flag = "--failure_dir";
  GRAPHC_RETURN_IF_ERROR(base::annotate(base::makeDirectories(directory), flag));
  GRAPHC_RETURN_IF_ERROR(base::annotate(writeSketch(directory, plan), flag));
  // A new file, whatever lies there: who has the old one open reads on in that.
  unlink(file.c_str());
  base::UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd)
    return base::annotate(base::errnoStatus(file, errno), flag);
  std::unique_ptr<FlightRecorder> made(
      new FlightRecorder(directory, file, std::move(fd), std::move(self), std::move(warn)));
  absl::StatusOr<std::thread> started =
      base::startThread("the recorder's", [one = made.get()] { one->run(); });
  if (!started.ok())
    unlink(file.c_str()); // nothing comes into it
  GRAPHC_ASSIGN_OR_RETURN(made->thread_, std::move(started));
  return made;
}

FlightRecorder::FlightRecorder(std::string directory, std::string file, base::UniqueFd fd,
                               service::Hello self, std::function<void(const std::string &)> warn)
    : directory_(std::move(directory)), file_(std::move(file)), fd_(std::move(fd)),
      warn_(std::move(warn)) {
  *head_.mutable_self() = std::move(self);
}

FlightRecorder::~FlightRecorder() {
  {
    base::MutexLock lock(mutex_);
    ends_ = true;
    changed_.notifyAll();
  }
  if (thread_.joinable())
    thread_.join();
}

void FlightRecorder::note(std::string text) {
  Note note = {base::nowNanoseconds(), text.substr(0, kMostNote)};
  base::MutexLock lock(mutex_);
  if (ends_)
    return;
  notes_.push_back(std::move(note));
  if (notes_.size() > kMostNotes) {
    notes_.pop_front();
    head_.set_events_before(head_.events_before() + 1);
  }
}

void FlightRecorder::begin(const std::string &run) {
  base::MutexLock lock(mutex_);
  head_.set_run(run);
}

void FlightRecorder::watch(
    std::function<std::optional<std::vector<service::LanePosition>>()> places) {
  base::MutexLock lock(placesMutex_);
  places_ = std::move(places);
}

/// On the recorder's thread, the only one that touches the file.
void FlightRecorder::run() {
  bool writes = true;
  for (bool last = false; !last;) {
    std::optional<std::vector<service::LanePosition>> places;
    {
      base::MutexLock lock(placesMutex_);
      if (places_)
        places = places_();
    }
    const int64_t wall = absl::ToUnixMicros(absl::Now()) - base::nowNanoseconds() / 1000;
    std::vector<executor::LaneEvent> events = ring_.last();
    service::Recording recording;
    std::multimap<int64_t, service::Recording::Event> ordered; // by nanoseconds
    {
      base::MutexLock lock(mutex_);
      last = ends_;
      if (places)
        head_.mutable_lanes()->Assign(places->begin(), places->end());
      recording = head_;
      for (const Note &note : notes_) {
        service::Recording::Event to;
        to.set_text(note.text);
        ordered.emplace(note.time, std::move(to));
      }
    }
    for (const executor::LaneEvent &event : events) {
      service::Recording::Event to;
      *to.mutable_place() = toProto({event.place, absl::ZeroDuration()});
      ordered.emplace(event.time, std::move(to));
    }
    for (auto &[time, event] : ordered) {
      event.set_time_us(wall + time / 1000);
      *recording.add_events() = std::move(event);
    }
    recording.set_events_before(recording.events_before() + ring_.added() -
                                std::min<uint64_t>(ring_.added(), events.size()));
    recording.set_time_us(wall + base::nowNanoseconds() / 1000);
    if (writes)
      if (absl::Status status = write(recording); !status.ok()) {
        writes = false;
        warn_(absl::StrCat("--failure_dir: nothing more is recorded: ", base::describe(status)));
      }
    base::MutexLock lock(mutex_);
    if (!last && !ends_)
      changed_.waitFor(mutex_, kEvery);
  }
  base::MutexLock lock(mutex_);
  ended_ = true;
  changed_.notifyAll();
}

absl::Status FlightRecorder::write(const service::Recording &recording) {
  const std::string half = encodeHalf(++halves_, recording);
  const uint64_t at = (halves_ - 1) % 2 ? kHalfBytes : 0;
  return base::writeAllAt(fd_.get(), half.data(), half.size(), at, file_);
}

void FlightRecorder::keep(const std::string &failure, bool secondary) {
  note(absl::StrCat(secondary ? "another task failed: " : "failed: ", failure));
  base::MutexLock lock(mutex_);
  head_.set_failure(failure.substr(0, base::kMostForeignText));
  head_.set_secondary(secondary);
  ends_ = true;
  changed_.notifyAll();
  changed_.waitFor(mutex_, kLastWrite,
                   [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ended_; });
}

void FlightRecorder::drop() {
  {
    base::MutexLock lock(mutex_);
    ends_ = true;
    changed_.notifyAll();
  }
  unlink(file_.c_str());
  bool others = true;
  if (DIR *folder = opendir(directory_.c_str())) {
    others = false;
    while (const dirent *entry = readdir(folder))
      others |= absl::EndsWith(entry->d_name, kEnding);
    closedir(folder);
  }
  if (!others)
    unlink(absl::StrCat(directory_, "/", kSketch).c_str());
}

} // namespace graphc::session
