#include "runtime/executor/LaneCursor.h"

namespace graphc::executor {

// On any thread, so numbers that were read one after the other need not fit each other. Where they
// do not, the lane moves, and it works.
plan::LanePosition LaneCursor::place(const LaneProgram &program, const LaneInfo &info,
                                     const AsyncUpdateTickets *tickets) const {
  plan::LanePosition at;
  at.lane = {info.programIndex, info.instance};
  const Blocked on = blocked;
  const uint32_t here = position, part = sub;
  at.step = currentStep;
  at.stepsBefore = info.stepsBefore;
  at.iteration = iteration;
  if (here >= program.instructions.size() || on == Blocked::Turn || on == Blocked::Rests) {
    at.instruction = uint32_t(program.source->instructions_size());
    if (on == Blocked::Turn || on == Blocked::Rests) { // its number is the next step's already
      at.begins = at.step == 0;
      at.step -= !at.begins;
    }
    at.doing = on == Blocked::Device    ? plan::LaneActivity::Device
               : on == Blocked::Results ? plan::LaneActivity::Results
                                        : plan::LaneActivity::Between;
    return at;
  }
  const LaneInstruction &instruction = program.instructions[here];
  at.instruction = program.planPlaces[here];
  at.begins = here < program.stepFirst;
  auto waitsAt = [&](const std::vector<PortUse> &uses, uint32_t port, plan::LaneActivity doing) {
    if (on != Blocked::Message || port >= uses.size())
      return;
    at.doing = doing;
    at.channel = uses[port].channel;
    at.peer = uses[port].ownInstance ? info.instance : uses[port].instance;
  };
  switch (instruction.op) {
  case LaneOp::Receive:
  case LaneOp::Aggregate:
  case LaneOp::Collect:
  case LaneOp::ControlReceive:
    waitsAt(program.receivePorts, instruction.port + part, plan::LaneActivity::Receives);
    break;
  case LaneOp::Choose:
    waitsAt(program.receivePorts, instruction.port, plan::LaneActivity::Choice);
    break;
  case LaneOp::Acquire:
  case LaneOp::SendStart:
  case LaneOp::SendAhead:
  case LaneOp::SendDone:
  case LaneOp::ControlSend:
    waitsAt(program.sendPorts, instruction.port + part, plan::LaneActivity::Sends);
    break;
  case LaneOp::AllReduceDone: {
    const AllReduceCall &call = program.allReduces[instruction.port];
    const uint32_t which = sumWaits;
    if (which % 2)
      waitsAt(program.sendPorts, call.sendPort + which / 2, plan::LaneActivity::Sends);
    else
      waitsAt(program.receivePorts, call.receivePort + which / 2, plan::LaneActivity::Receives);
    break;
  }
  case LaneOp::Wait:
    at.doing = on == Blocked::Device ? plan::LaneActivity::Device : plan::LaneActivity::Works;
    break;
  case LaneOp::Ticket:
    if (std::optional<AsyncUpdateTickets::Slowest> slowest = tickets->slowest(info.instance);
        slowest && on == Blocked::Ticket) {
      at.doing = plan::LaneActivity::Ticket;
      at.peer = slowest->instance;
    }
    break;
  case LaneOp::NextBatch:
    at.doing = plan::LaneActivity::Reads;
    break;
  default:
    break;
  }
  return at;
}

} // namespace graphc::executor
