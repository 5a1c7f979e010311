//===- Sim.h - an asynchronous device made of the CPU -------------------------------*- C++ -*-===//
//
// What a GPU forgives on most days fails here on every day. The host sees the device's memory as
// pages that it may not touch; the device's thread uses a second mapping of them. Nothing enqueued
// is done before somebody asks for its signal, and then in an order that the seed draws from all
// orders that the queues and their `after`s allow. Memory that is given back holds NaN for good.
//
// It is in the tests because nobody trains on it. A process that wants one registers it
// (device::registerKind).
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_DEVICE_SIM_H
#define GRAPHC_TEST_RUNTIME_DEVICE_SIM_H

#include "runtime/device/Device.h"

namespace graphc::device {

std::unique_ptr<Device> makeSim(const std::string &name, uint64_t seed);

} // namespace graphc::device
#endif
