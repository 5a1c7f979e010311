//===- SegmentDependencies.h - what the work of a segment comes after ---------------*- C++ -*-===//
#ifndef GRAPHC_RUNTIME_DEVICE_SEGMENTDEPENDENCIES_H
#define GRAPHC_RUNTIME_DEVICE_SEGMENTDEPENDENCIES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graphc::device {

/// Numbers what a segment's queues are given, 0 and up over all of them, and says of each what it
/// directly comes after.
class SegmentDependencies {
public:
  /// The next work of the queue: what it comes after, each once.
  std::vector<uint32_t> add(uint32_t queue) {
    std::vector<uint32_t> before = std::move(at(queue));
    at(queue) = {count_++};
    return before;
  }
  uint32_t signal(uint32_t queue) {
    signals_.push_back(at(queue));
    return uint32_t(signals_.size() - 1);
  }
  void after(uint32_t queue, uint32_t signal) {
    std::vector<uint32_t> &mine = at(queue);
    mine.insert(mine.end(), signals_[signal].begin(), signals_[signal].end());
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  }

private:
  std::vector<uint32_t> &at(uint32_t queue) {
    if (queue >= last_.size())
      last_.resize(queue + 1);
    return last_[queue];
  }
  uint32_t count_ = 0;
  std::vector<std::vector<uint32_t>> last_; // what the next work of a queue comes after
  std::vector<std::vector<uint32_t>> signals_;
};

} // namespace graphc::device
#endif
