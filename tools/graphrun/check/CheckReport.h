//===- CheckReport.h - what graphrun check prints -----------------------------------*- C++ -*-===//
//
// Lines that begin with one of four words, so that a script can look for "wrong": ok; wrong; note,
// which is worth reading and no mistake; -, not tried because of something wrong elsewhere.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKREPORT_H
#define GRAPHC_TOOLS_GRAPHRUN_CHECK_CHECKREPORT_H

#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/service/service.pb.h"
#include "tools/graphrun/check/LinkTimer.h"

#include <string>
#include <vector>

namespace graphc::graphrun {

class CheckReport {
public:
  void ok(const std::string &text) { add("ok", text); }
  void note(const std::string &text) { add("note", text); }
  void wrong(const std::string &text);
  void skipped(const std::string &text) { add("-", text); }
  uint32_t wrongs() const { return wrongs_; }
  const std::string &text() const { return text_; }

private:
  void add(const char *word, const std::string &text);
  std::string text_;
  uint32_t wrongs_ = 0;
};

/// "/job:a/task:0 -> /job:b/task:0 grpc: 93 µs one way, 941 Mbit/s there, 938 Mbit/s back", and
/// beside it what the cluster file says of such a link, null: nothing. `far` is set where the two
/// are more than twice apart.
std::string linkText(const std::string &ends, const LinkFigures &figures,
                     const cluster::LinkConfig *said, bool *far);

/// What the configuration says of messages between two tasks, in either direction; null: nothing.
const cluster::LinkConfig *findLink(const std::vector<cluster::LinkConfig> &links,
                                    const cluster::TaskRef &a, const cluster::TaskRef &b);

/// One line each for data sets that are the same on all of their readers, and for those that are
/// not. `names` by task.
void compareData(const std::vector<std::string> &names, const std::vector<std::string> &sets,
                 const std::vector<std::optional<service::CheckReport>> &reports,
                 CheckReport *report);

} // namespace graphc::graphrun
#endif
