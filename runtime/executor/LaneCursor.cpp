#include "runtime/executor/LaneCursor.h"

namespace graphc::executor {

// On any thread, so numbers that were read one after the other need not fit each other. Where they do not, the lane moves, and it works.
plan::LanePlace LaneCursor::place(const Program &program, const LaneInfo &info, const Tickets *tickets) const {
  plan::LanePlace at;
  at.lane = {info.programIndex, info.instance};
  const Blocked on = blocked;
  const uint32_t here = position, part = sub;
  at.step = currentStep;
  at.iteration = iteration;
  if (here >= program.instructions.size() || on == Blocked::Turn || on == Blocked::Rests) {
    at.instruction = uint32_t(program.source->instructions_size());
    at.doing = on == Blocked::Device    ? plan::Doing::Device
               : on == Blocked::Results ? plan::Doing::Results
                                        : plan::Doing::Between;
    return at;
  }
  const Instruction &instruction = program.instructions[here];
  at.instruction = program.planPlaces[here];
  at.begins = here < program.stepFirst;
  auto waitsAt = [&](const std::vector<PortUse> &uses, uint32_t port, plan::Doing doing) {
    if (on != Blocked::Message || port >= uses.size())
      return;
    at.doing = doing;
    at.channel = uses[port].channel;
    at.peer = uses[port].ownInstance ? info.instance : uses[port].instance;
  };
  switch (instruction.op) {
  case Op::Receive:
  case Op::Aggregate:
  case Op::Collect:
  case Op::ControlReceive:
    waitsAt(program.receivePorts, instruction.port + part, plan::Doing::Receives);
    break;
  case Op::Choose:
    waitsAt(program.receivePorts, instruction.port, plan::Doing::Choice);
    break;
  case Op::Acquire:
  case Op::SendStart:
  case Op::SendAhead:
  case Op::SendDone:
  case Op::ControlSend:
    waitsAt(program.sendPorts, instruction.port + part, plan::Doing::Sends);
    break;
  case Op::AllReduceDone: {
    const AllReduceCall &call = program.allReduces[instruction.port];
    const uint32_t which = sumWaits;
    if (which % 2)
      waitsAt(program.sendPorts, call.sendPort + which / 2, plan::Doing::Sends);
    else
      waitsAt(program.receivePorts, call.receivePort + which / 2, plan::Doing::Receives);
    break;
  }
  case Op::Wait:
    at.doing = on == Blocked::Device ? plan::Doing::Device : plan::Doing::Works;
    break;
  case Op::Ticket:
    if (std::optional<Tickets::Slowest> slowest = tickets->slowest(info.instance); slowest && on == Blocked::Permit) {
      at.doing = plan::Doing::Permit;
      at.peer = slowest->instance;
    }
    break;
  case Op::NextBatch:
    at.doing = plan::Doing::Reads;
    break;
  default:
    break;
  }
  return at;
}

} // namespace graphc::executor
