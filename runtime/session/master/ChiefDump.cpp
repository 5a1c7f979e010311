#include "runtime/session/master/ChiefDump.h"

#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <set>

namespace graphc::session {

absl::Status ChiefDump::begin(const Ask &ask) {
  if (directory_.empty())
    return absl::OkStatus();
  service::Order check;
  check.mutable_check()->set_directory(directory_);
  {
    FileWatchdog::Work work(files_, absl::StrCat("opening --dump_variables ", directory_));
    absl::StatusOr<checkpoint::DumpFolder> made = checkpoint::DumpFolder::create(directory_);
    const bool hasParts = std::any_of(plan_.variables().begin(), plan_.variables().end(),
                                      [](auto &one) { return one.has_part_of(); });
    if (absl::IsFailedPrecondition(made.status()) || absl::IsUnavailable(made.status()) ||
        (!made.ok() && hasParts)) // else the chief may own nothing, and have no such folder
      return base::annotate(made.status(), "--dump_variables");
    if (made.ok())
      check.mutable_check()->set_dump(folder_.emplace(*std::move(made)).word());
  }
  return base::annotate(ask(std::move(check)), "--dump_variables");
}

absl::Status ChiefDump::write(const Ask &ask) {
  if (directory_.empty())
    return absl::OkStatus();
  service::Order order;
  order.mutable_dump()->set_directory(directory_);
  GRAPHC_RETURN_IF_ERROR(ask(std::move(order)));
  std::set<std::string> inParts;
  for (const plan::Variable &variable : plan_.variables())
    if (variable.has_part_of())
      inParts.insert(checkpoint::npyFileName(plan::modelName(variable)));
  FileWatchdog::Work work(files_, absl::StrCat("writing into ", directory_));
  for (const std::string &file : inParts) {
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkpoint::finishNpyParts(absl::StrCat(
                           checkpoint::dumpPath(directory_, folder_->word()), "/", file)),
                       "--dump_variables"));
    GRAPHC_RETURN_IF_ERROR(
        base::annotate(checkpoint::publish(directory_, folder_->word(), file), "--dump_variables"));
  }
  return absl::OkStatus();
}

} // namespace graphc::session
