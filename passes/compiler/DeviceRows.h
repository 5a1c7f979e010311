//===- DeviceRows.h - the devices of a plan, with replicas that are alike as one ----*- C++ -*-===//
//
// A *row* is a device, or that of several replicas at once: those that are alike. A replica that
// does more than the replicated programs, beside them or with more memory (the chief, or where a
// placement rule puts something), has a row of its own.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_PASSES_COMPILER_DEVICEROWS_H
#define GRAPHC_PASSES_COMPILER_DEVICEROWS_H

#include "runtime/common/plan/plan.pb.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace graphc {

/// "/job:ps/task:0/device:CPU:0", or "/job:worker/device:CPU:0" for a program that every replica
/// has.
std::string placeName(const plan::Plan &plan, const plan::Program &program);

/// The rows of a plan, in the order of the cluster's jobs.
class DeviceRows {
public:
  explicit DeviceRows(const plan::Plan &plan);

  struct Row {
    std::string name; ///< "/job:worker/device:CPU:0" for several replicas
    unsigned tasks = 1; ///< replicas that are like this one
  };
  const std::vector<Row> &all() const { return rows_; }
  /// Where a program runs and where a variable is stored: indices into all(), each once.
  std::vector<unsigned> of(const plan::Program &program) const;
  std::vector<unsigned> of(const plan::Variable &variable) const;
  /// Where one instance of a program runs.
  unsigned of(const plan::Program &program, uint32_t instance) const;

private:
  using Key = std::tuple<uint32_t, uint32_t, std::string>; ///< job, task, device
  static plan::Task taskOf(const Key &key);
  unsigned at(const plan::Task &task, const std::string &device) const;
  std::vector<unsigned> at(const plan::Task &task, bool everywhere,
                           const std::string &device) const;

  const plan::Plan &plan_;
  std::vector<Row> rows_;
  std::map<Key, unsigned> byTask_; ///< rows of one task
  /// by device: the row of the replicas that are alike
  std::map<std::string, unsigned> replicaRows_;
};

/// The instances of a program that run on one task.
unsigned lanesPerTask(const plan::Program &program);

} // namespace graphc

#endif
