#include "passes/emit/FormSegments.h"

#include "runtime/common/plan/PlanTypes.h"

#include <map>
#include <utility>
#include <vector>

namespace graphc {

void formSegments(plan::Program &program) {
  const int count = program.instructions_size();
  std::vector<int> runs(size_t(count), 0); // where the run begins that an instruction is in
  std::map<std::pair<uint32_t, uint32_t>, int> signals; // queue, count → its instruction
  std::vector<bool> ends(size_t(count), false); // a segment does behind it
  std::map<int, int> needed; // by run: the last instruction in it that the lane waits for now
  int loopEnd = -1;
  auto cutRuns = [&] {
    for (auto [run, last] : needed)
      ends[size_t(last)] = true;
    needed.clear();
  };
  for (int i = 0; i < count; ++i) {
    const plan::Instruction &instruction = program.instructions(i);
    if (i == loopEnd) // what the lane waits for there it needs each time
      cutRuns();
    const bool continues =
        i > 0 && i != loopEnd && instruction.queue() && program.instructions(i - 1).queue();
    if (instruction.has_repeat())
      loopEnd = i + 1 + int(instruction.repeat().length());
    runs[size_t(i)] = continues ? runs[size_t(i) - 1] : i;
    if (instruction.has_signal())
      signals[{instruction.queue(), instruction.signal().n()}] = i;
    if (instruction.queue() || !instruction.has_wait()) {
      cutRuns();
      continue;
    }
    // Waits that follow each other are one.
    if (auto signal = signals.find({instruction.wait().queue(), instruction.wait().n()});
        signal != signals.end()) {
      int &last = needed[runs[size_t(signal->second)]];
      last = std::max(last, signal->second);
    }
  }
  // Signals and waits alone, behind the last work of a run, are no segment. `works`: work comes
  // from here on, before the run's end.
  std::vector<bool> works(size_t(count) + 1, false);
  for (int i = count - 1; i >= 0; --i) {
    const plan::Instruction &instruction = program.instructions(i);
    works[size_t(i)] =
        instruction.queue() && (plan::isQueueWork(instruction) ||
                                (works[size_t(i) + 1] && runs[size_t(i) + 1] == runs[size_t(i)]));
  }
  uint32_t segment = 0;
  for (int i = 0; i < count; ++i) {
    plan::Instruction &instruction = *program.mutable_instructions(i);
    if (!instruction.queue())
      continue;
    const bool cut = i > 0 && ends[size_t(i) - 1] && works[size_t(i)];
    if (runs[size_t(i)] == i || cut)
      ++segment;
    instruction.set_segment(segment);
  }
}

} // namespace graphc
