//===- FetchPrinter.h - values of --fetch as lines ----------------------------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_SESSION_RESULTS_FETCHPRINTER_H
#define GRAPHC_RUNTIME_SESSION_RESULTS_FETCHPRINTER_H

#include "runtime/session/results/FetchCollector.h"

namespace graphc::session {

/// numpy's way: "[[1 2]\n [3 4]]" on one line, shortest digits that read back the same; more than
/// 1000 elements are abridged to the first and last three of each dimension.
std::string formatTensor(const plan::TensorType &type, const void *data);

/// "loss 0.5"; where replicas share no step, "/job:worker/task:1 loss 0.5".
std::string formatFetched(const FetchedTensor &value);

class FetchPrinter : public FetchCollector {
public:
  FetchPrinter(const plan::Plan &plan, std::vector<std::string> names,
               std::function<void(const std::string &)> print, uint64_t mostWaiting = kMostWaiting);
};

} // namespace graphc::session
#endif
