#include "passes/report/SegmentTable.h"

#include "passes/report/ReportParts.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/STLExtras.h"

#include <string>
#include <vector>

namespace graphc {

/// What the lane does first behind an instruction, but for waits: for that a segment ends there.
static std::string nextOfLane(const plan::Plan &plan, const plan::Program &program, int behind) {
  for (int i = behind + 1; i < program.instructions_size(); ++i)
    if (const plan::Instruction &instruction = program.instructions(i);
        !instruction.queue() && !instruction.has_wait())
      return instructionTitle(plan, program, instruction);
  return "";
}

void printSegments(const plan::Plan &plan, llvm::raw_ostream &os) {
  constexpr size_t kMostNamed = 4;
  for (const plan::Program &program : plan.programs()) {
    if (!program.queues())
      continue;
    int last = 0; // of a segment
    uint64_t launches = 0;
    plan::LoopWalk loops;
    std::vector<std::string> between; // each once
    for (int i = 0; i < program.instructions_size(); ++i) {
      const uint32_t before = i ? program.instructions(last).segment() : 0,
                     here = program.instructions(i).segment();
      const uint32_t times = loops.times(program.instructions(i));
      launches += here > before ? times : 0;
      if (before && here > before)
        if (std::string what = nextOfLane(plan, program, last); !llvm::is_contained(between, what))
          between.push_back(std::move(what));
      if (here)
        last = i;
    }
    os << "launches a step of " << program.name() << " on " << program.device() << ": " << launches;
    for (size_t i = 0; i < between.size() && i < kMostNamed; ++i)
      os << (i ? ", " : ", parted by ") << between[i];
    if (between.size() > kMostNamed)
      os << " and " << between.size() - kMostNamed << " more";
    os << '\n';
  }
}

} // namespace graphc
