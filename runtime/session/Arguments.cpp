#include "runtime/session/Arguments.h"

namespace graphc::session {

std::map<std::string, Argument> argumentsOf(const plan::Plan &plan, const std::string &entry) {
  std::map<std::string, Argument> arguments;
  for (const plan::Phase &phase : plan.phases()) {
    bool wanted = entry == "train"  ? phase.role() != plan::PREDICT
                  : entry == "eval" ? phase.role() == plan::EVAL
                                    : phase.role() == plan::PREDICT;
    for (uint32_t index : phase.programs()) {
      const plan::Program &program = plan.programs(static_cast<int>(index));
      for (const plan::Port &feed : program.feeds()) {
        Argument &argument = arguments[feed.name()];
        argument.type = program.buffers(static_cast<int>(feed.buffer())).type();
        if (wanted)
          argument.function = phase.name();
      }
    }
  }
  return arguments;
}

} // namespace graphc::session
