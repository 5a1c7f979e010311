#include "runtime/executor/StepStats.h"

#include <algorithm>
#include <vector>

namespace graphc::executor {

StepStats::Summary StepStats::summary() const {
  Summary summary;
  summary.steps = steps();
  std::vector<uint32_t> times(std::min<uint64_t>(summary.steps, ringSize));
  if (times.empty())
    return summary;
  double sum = 0;
  for (size_t i = 0; i < times.size(); ++i)
    sum += times[i] = ring[i].load(std::memory_order_relaxed);
  std::sort(times.begin(), times.end());
  summary.medianMs = times[times.size() / 2] * 1e-6;
  summary.p99Ms = times[(times.size() * 99) / 100] * 1e-6; // 99 * size / 100 < size
  summary.minMs = times.front() * 1e-6;
  summary.meanMs = sum / double(times.size()) * 1e-6;
  return summary;
}

} // namespace graphc::executor
