#include "passes/analysis/TimeModel.h"

#include <algorithm>

namespace graphc {

TimeModel::Way TimeModel::insideTask() const {
  return {figures_.sharedMemory.latencyMicroseconds * 0.5e-6,
          figures_.memoryGigabytesPerSecond * 0.5e9, true};
}

TimeModel::Way TimeModel::overLink(double latencyMicroseconds, double gigabitsPerSecond) {
  return {latencyMicroseconds * 1e-6, gigabitsPerSecond * 1e9 / 8, false};
}

TimeModel::Way TimeModel::betweenTasks(bool oneHost) const {
  const cluster::MachineCalibration::Link &link = oneHost ? figures_.sharedMemory : figures_.grpc;
  Way way = overLink(link.latencyMicroseconds, link.gigabitsPerSecond);
  way.copies = oneHost;
  return way;
}

uint64_t TimeModel::Message::fan() const {
  if (hops) // all its chunks as one message
    return 1;
  if (allToAll)
    return instances - 1;
  return alone || (senders > 1 && receivers > 1) ? 1 : std::max<uint64_t>(1, instances);
}

double TimeModel::send(const Way &way, const Message &message) const {
  if (!way.copies || message.inPlace)
    return instruction();
  const bool own = message.senders > 1 && !message.allToAll; // each instance copies its own
  return instruction() + double(own ? 1 : message.fan()) * message.bytes / way.bytesPerSecond;
}

double TimeModel::transfer(const Way &way, const Message &message) {
  if (way.copies)
    return 0;
  return (message.leavesHost > 0 ? message.leavesHost : double(message.fan()) * message.bytes) /
         way.bytesPerSecond;
}

double TimeModel::call(uint64_t flops, uint64_t bytes, double threads) const {
  // What is compiled streams its operands; a few dozen operations an element reach a tenth of a
  // matmul's rate.
  const double rate = figures_.matmulGflops * 1e9 * (threads > 0 ? threads : 0.1);
  return instruction() + std::max(double(flops) / rate, memory(double(bytes)));
}

double TimeModel::queuedCall(Engine engine, uint64_t flops, uint64_t bytes, double threads) const {
  if (engine == Engine::Host)
    return call(flops, bytes, threads);
  const cluster::MachineCalibration::Gpu &gpu = figures_.gpu;
  const double rate = gpu.matmulGflops * 1e9 * (threads > 0 ? 1 : 0.1); // as call() has it
  return gpu.kernelMicroseconds * 1e-6 +
         std::max(double(flops) / rate, double(bytes) / (gpu.memoryGigabytesPerSecond * 1e9));
}

double TimeModel::queuedCopy(Engine engine, uint64_t bytes) const {
  return engine == Engine::Host ? copy(bytes)
                                : figures_.gpu.pcieMicroseconds * 1e-6 +
                                      double(bytes) / (figures_.gpu.pcieGigabytesPerSecond * 1e9);
}

double TimeModel::queuedSum(Engine engine, uint64_t bytes) const {
  return engine == Engine::Host ? accumulate(bytes) : queuedCall(engine, 0, 3 * bytes, 0);
}

double TimeModel::sum(const Message &message) const {
  if (message.hops) // half of the messages are added, the others copied or read where they lie
    return instruction() + memory((message.inPlace ? 3 : 5) * message.bytes / 2);
  // each is read once, the sum read and written
  return instruction() + memory(message.bytes * double(message.instances + 2));
}

} // namespace graphc
