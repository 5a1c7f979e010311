// The proof of queues beside a search: random programs with loops, of which every time is written
// out, are accepted where of any two that touch the same bytes, one writing, the later one comes
// behind the earlier by what the lane has given, by signals and by waits; else they are refused.
#include "runtime/common/plan/VerifyPlan.h"
#include "test/passes/compiler/QueuePlans.h"

#include "absl/strings/match.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <random>

namespace graphc {
namespace {

constexpr int kQueues = 3;

struct Place {
  bool device;
  uint64_t offset, bytes;
  bool meets(const Place &other) const {
    return device == other.device && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
};

/// One instruction: of the lane (0) or of a queue.
struct Step {
  enum Kind { Fill, Copy, Signal, Wait } kind;
  uint32_t doer;
  /// Fill: a buffer; Copy: from, to; Signal: its count; Wait: a queue, its count
  uint32_t a = 0, b = 0;
};

/// Done `count` times; 0: once, in no loop.
struct Part {
  uint32_t count;
  std::vector<Step> steps;
};

struct Drawn {
  std::vector<Place> places;
  std::vector<Part> parts;
};

class Drawing {
public:
  explicit Drawing(uint64_t seed) : random_(seed) {}

  Drawn draw() {
    for (bool device : {false, true})
      for (int i = 0; i < 6; ++i)
        drawn_.places.push_back(
            {device, 64 * below(4), i < 4 ? std::array{8u, 64u, 128u}[below(3)] : 8u});
    likely_ = std::array{0.3, 0.5, 0.7, 0.85, 0.95}[below(5)];
    for (uint64_t parts = 1 + below(3); parts > 0; --parts)
      addPart();
    Part end{0, {}};
    for (uint32_t queue = 1; queue <= kQueues; ++queue)
      if (works_[queue]) {
        end.steps.push_back({Step::Signal, queue, ++signals_[queue]});
        if (chance(0.97))
          end.steps.push_back({Step::Wait, 0, queue, signals_[queue]});
      }
    drawn_.parts.push_back(end);
    return drawn_;
  }

private:
  uint64_t below(uint64_t n) { return random_() % n; }
  bool chance(double p) { return double(random_() >> 11) * 0x1p-53 < p; }

  /// Some of what others have counted to so far.
  void addWaits(uint32_t doer, std::vector<Step> &steps) {
    for (uint32_t queue = 1; queue <= kQueues; ++queue)
      if (queue != doer && signals_[queue] && chance(likely_))
        steps.push_back({Step::Wait, doer, queue,
                         chance(0.8) ? signals_[queue] : uint32_t(1 + below(signals_[queue]))});
  }

  Step drawWork() {
    const std::vector<Place> &places = drawn_.places;
    for (int tries = 0; tries < 100 && !chance(0.02); ++tries) {
      const auto from = uint32_t(below(places.size())), to = uint32_t(below(places.size()));
      if (chance(0.2) && !places[to].device && places[to].bytes == 8)
        return {Step::Fill, 0, to};
      if (places[from].bytes == places[to].bytes && (places[from].device || places[to].device) &&
          !places[from].meets(places[to]))
        return {Step::Copy, uint32_t(1 + below(kQueues)), from, to};
    }
    return {Step::Fill, 0, 4};
  }

  void addPart() {
    Part part{chance(0.7) ? uint32_t(1 + below(5)) : 0, {}};
    for (uint64_t left = 1 + below(4); left > 0; --left) {
      const Step work = drawWork();
      addWaits(work.doer, part.steps);
      part.steps.push_back(work);
      works_[work.doer] |= work.doer != 0;
      if (work.doer && chance(0.9))
        part.steps.push_back({Step::Signal, work.doer, ++signals_[work.doer]});
    }
    if (part.count)
      for (uint32_t doer : {3u, 1u, 0u, 2u})
        addWaits(doer, part.steps);
    drawn_.parts.push_back(part);
  }

  std::mt19937_64 random_;
  Drawn drawn_;
  double likely_ = 0;
  std::array<uint32_t, kQueues + 1> signals_{};
  std::array<bool, kQueues + 1> works_{};
};

/// What comes behind what, of all times of all steps.
bool isOrdered(const Drawn &drawn) {
  constexpr size_t kMost = 512;
  using Before = std::bitset<kMost>;
  std::vector<Before> before;
  std::array<int, kQueues + 1> last;
  last.fill(-1);
  std::map<std::pair<uint32_t, uint32_t>, int> signalled;
  struct Access {
    int node;
    uint32_t doer, place;
    bool write;
  };
  std::vector<Access> accesses;
  auto add = [&](uint32_t doer, int behind = -1) {
    Before all;
    for (int other : {last[doer], last[0], behind})
      if (other >= 0)
        all |= before[size_t(other)], all.set(size_t(other));
    before.push_back(all);
    return last[doer] = int(before.size()) - 1;
  };
  for (const Part &part : drawn.parts)
    for (uint32_t time = 0; time < std::max(1u, part.count); ++time)
      for (const Step &step : part.steps) {
        if (step.kind == Step::Signal) {
          signalled[{step.doer, step.a}] = add(step.doer);
          continue;
        }
        if (step.kind == Step::Wait) {
          add(step.doer, signalled.at({step.a, step.b}));
          continue;
        }
        const int node = add(step.doer);
        for (auto [place, write] :
             {std::pair{step.a, step.kind == Step::Fill}, std::pair{step.b, true}}) {
          if (step.kind == Step::Fill && place != step.a)
            continue;
          for (const Access &earlier : accesses)
            if (earlier.node != node && earlier.doer != step.doer && (write || earlier.write) &&
                drawn.places[place].meets(drawn.places[earlier.place]) &&
                !before[size_t(node)].test(size_t(earlier.node)))
              return false;
          accesses.push_back({node, step.doer, place, write});
        }
      }
  EXPECT_LT(before.size(), kMost);
  const int end = add(0);
  return std::all_of(accesses.begin(), accesses.end(), [&](const Access &access) {
    return before[size_t(end)].test(size_t(access.node));
  });
}

Plan planOf(const Drawn &drawn) {
  Plan plan = alone();
  plan.mutable_phases(0)->clear_samples_per_step();
  plan.mutable_phases(0)->clear_advances_global_step();
  Program &program = *plan.mutable_programs(0);
  for (auto *field : {"buffers", "instructions", "fetches", "metrics"})
    program.GetReflection()->ClearField(&program, program.GetDescriptor()->FindFieldByName(field));
  program.set_queues(kQueues);
  program.set_arena_bytes(1024);
  program.set_device_arena_bytes(1024);
  for (const Place &place : drawn.places) {
    plan::Buffer &buffer = *program.add_buffers();
    buffer.mutable_type()->set_dtype(plan::I64);
    if (place.bytes > 8)
      buffer.mutable_type()->add_shape(int64_t(place.bytes / 8));
    buffer.set_bytes(place.bytes);
    buffer.mutable_arena()->set_offset(place.offset);
    buffer.set_space(place.device ? plan::DEVICE : plan::HOST);
  }
  program.add_instructions()->mutable_control_send();
  uint32_t segment = 0;
  for (const Part &part : drawn.parts) {
    if (part.count) {
      Instruction::Repeat &repeat = *program.add_instructions()->mutable_repeat();
      repeat.set_count(part.count);
      repeat.set_length(uint32_t(part.steps.size()));
    }
    for (const Step &step : part.steps) {
      Instruction &instruction = *program.add_instructions();
      if (step.doer) {
        instruction.set_queue(step.doer);
        instruction.set_segment(++segment);
      }
      switch (step.kind) {
      case Step::Fill:
        instruction.mutable_micro_batch_index()->set_buffer(step.a);
        instruction.mutable_micro_batch_index()->set_micro_batches(8);
        break;
      case Step::Copy:
        instruction.mutable_copy()->set_from(step.a);
        instruction.mutable_copy()->set_to(step.b);
        break;
      case Step::Signal:
        instruction.mutable_signal()->set_n(step.a);
        break;
      case Step::Wait:
        instruction.mutable_wait()->set_queue(step.a);
        instruction.mutable_wait()->set_n(step.b);
        break;
      }
    }
  }
  program.add_instructions()->mutable_control_receive()->set_local(true);
  return plan;
}

TEST(QueueProof, AcceptsWhatIsOrderedAndNothingElse) {
  std::map<std::pair<bool, bool>, int> seen; // by whether it loops and whether it is ordered
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    const Drawn drawn = Drawing(seed).draw();
    const bool ordered = isOrdered(drawn);
    const absl::Status proof = plan::verifyPlan(planOf(drawn));
    ASSERT_EQ(proof.ok(), ordered) << "seed " << seed << ": " << proof;
    if (!ordered) {
      ASSERT_TRUE(absl::StrContains(proof.message(), "expected a wait"))
          << "seed " << seed << ": " << proof;
    }
    const bool loops = std::any_of(drawn.parts.begin(), drawn.parts.end(),
                                   [](const Part &p) { return p.count > 1; });
    ++seen[{loops, ordered}];
  }
  for (bool loops : {false, true})
    for (bool ordered : {false, true})
      EXPECT_GT((seen[{loops, ordered}]), 1000) << loops << ordered;
}

} // namespace
} // namespace graphc
