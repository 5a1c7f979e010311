//===- SimulatedLaunch.h - work that other libraries give the simulated driver ------*- C++ -*-===//
#ifndef GRAPHC_TEST_CUDA_SIMULATEDLAUNCH_H
#define GRAPHC_TEST_CUDA_SIMULATEDLAUNCH_H

#include <cstdint>
#include <functional>
#include <string>

namespace simulated {
/// Where the GPU finds so many bytes of its memory; null where they are not in one allocation.
using FindMemory = std::function<uint8_t *(uint64_t address, uint64_t bytes)>;
} // namespace simulated

/// As the launch of a kernel: `work` runs later, in the stream's order. What it returns is what
/// went wrong, or nothing. An error of the driver's.
extern "C" __attribute__((visibility("default"))) int
graphcSimulatedLaunch(void *stream, std::function<std::string(const simulated::FindMemory &)> work);

#endif
