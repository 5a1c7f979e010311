#include "runtime/session/task/TaskCheckpoint.h"

#include "runtime/checkpoint/DumpFolder.h"
#include "runtime/checkpoint/NpyFormat.h"
#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/stat.h>

namespace graphc::session {
namespace {
template <typename T> bool allFiniteOf(std::span<const uint8_t> data) {
  for (size_t at = 0; at + sizeof(T) <= data.size(); at += sizeof(T)) {
    T value;
    memcpy(&value, data.data() + at, sizeof value);
    if (!std::isfinite(value))
      return false;
  }
  return true;
}

/// Of other types than these it is not looked at.
bool allFinite(plan::DataType type, std::span<const uint8_t> data) {
  return type == plan::F32   ? allFiniteOf<float>(data)
         : type == plan::F64 ? allFiniteOf<double>(data)
                             : true;
}

/// Whether a dump gives its file that name, in place of what is there; a link or a device is
/// written to.
bool isReplaced(const std::string &path) {
  struct stat info{};
  return lstat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

absl::StatusOr<checkpoint::WarmStartSource> openOrigin(const service::Order::Initialize &order) {
  if (order.has_init_file())
    return checkpoint::WarmStartSource::openFile(order.init_from(), order.init_file().bytes(),
                                                 order.init_file().crc32c());
  return checkpoint::WarmStartSource::openCheckpoint(
      order.init_from().empty() ? order.restore_from() : order.init_from());
}

/// For parts of one variable, which several tasks write together.
absl::Status notRegular(const std::string &path) {
  return absl::FailedPreconditionError(absl::StrCat(
      path,
      ": not a regular file, and the variable is in parts; remove it, or dump into another folder"));
}
} // namespace

/// Initial values, or those of a checkpoint, of each variable that this task stores; or it stays as
/// it is.
absl::Status TaskCheckpoint::initialize(const service::Order::Initialize &order,
                                        service::Done *done) {
  if (!order.has_held())
    variables_.initialize();
  const bool begins = !order.init_from().empty();
  if ((begins || !order.restore_from().empty()) && !variables_.stored().empty()) {
    GRAPHC_ASSIGN_OR_RETURN(checkpoint::WarmStartSource origin, openOrigin(order));
    checkpoint::WarmStart beginnings;
    if (begins) {
      GRAPHC_ASSIGN_OR_RETURN(beginnings, origin.beginnings(plan_));
    }
    std::vector<checkpoint::RestoreTarget> targets;
    for (uint32_t index : variables_.stored()) {
      const plan::Variable &variable = plan_.variables(static_cast<int>(index));
      const auto source = beginnings.sources.find(plan::modelName(variable));
      if (begins && source == beginnings.sources.end())
        continue;
      std::span<uint8_t> data = variables_.data(index);
      targets.push_back({begins ? source->second : plan::modelName(variable),
                         plan::modelType(variable), data.data(), data.size(),
                         plan::modelOffset(variable)});
    }
    GRAPHC_RETURN_IF_ERROR(origin.restore(targets));
  } else if (!order.has_held() && !variables_.stored().empty()) {
    // the chief has looked; never by zeros all the same
    GRAPHC_RETURN_IF_ERROR(checkpoint::checkInitialized(plan_));
  }
  if (const int64_t *step = variables_.globalStep())
    done->set_global_step(*step);
  noteMirrors(done);
  return variables_.toDevices();
}

void TaskCheckpoint::noteMirrors(service::Done *done) const {
  if (std::optional<uint32_t> crc = variables_.mirrorsCrc())
    done->set_mirrors_crc(*crc);
}

/// Whether the checkpoint's or dump's folder is the chief's and can be written.
absl::Status TaskCheckpoint::check(const service::Order::Check &order) {
  // Only who stores variables reads and writes there; a worker without any may live elsewhere.
  if (variables_.stored().empty())
    return absl::OkStatus();
  // Without a nonce: a folder to write into at the end; better to hear now that it cannot be.
  if (!order.nonce().empty()) {
    nonces_[order.directory()] = order.nonce();
    return checkpoint::checkNonce(order.directory(), order.nonce());
  }
  GRAPHC_RETURN_IF_ERROR(base::makeDirectories(order.directory()));
  GRAPHC_RETURN_IF_ERROR(base::checkWritable(order.directory()));
  if (const std::string path = checkpoint::dumpPath(order.directory(), order.dump());
      !path.empty() && base::exists(path)) {
    dumps_[order.directory()] = order.dump();
    for (uint32_t index : variables_.owned()) {
      const plan::Variable &variable = plan_.variables(static_cast<int>(index));
      const std::string file =
          absl::StrCat(order.directory(), "/", checkpoint::npyFileName(plan::modelName(variable)));
      if (variable.has_part_of() && !isReplaced(file))
        return notRegular(file);
    }
    return absl::OkStatus();
  }
  // Owners of parts write one file together; the owner of a whole variable may write where nobody
  // else sees it.
  const bool hasPart =
      std::any_of(variables_.owned().begin(), variables_.owned().end(), [this](uint32_t index) {
        return plan_.variables(static_cast<int>(index)).has_part_of();
      });
  return hasPart ? checkpoint::notTheChiefs(order.directory()) : absl::OkStatus();
}

/// "variable w is NaN": the first of those that are trained; else empty.
std::string TaskCheckpoint::notFinite() const {
  for (uint32_t index : variables_.owned()) {
    const plan::Variable &variable = plan_.variables(static_cast<int>(index));
    if (variable.trainable() &&
        !allFinite(variable.type().dtype(), std::as_const(variables_).data(index)))
      return absl::StrCat("variable ", plan::modelName(variable), " is NaN or infinite");
  }
  return "";
}

/// Writes this task's shard, unless training has made a variable no number; answers its name, size
/// and checksums, which the chief writes into the manifest.
absl::Status TaskCheckpoint::save(const service::Order::Save &order, service::Done *done) const {
  GRAPHC_RETURN_IF_ERROR(variables_.fromDevices());
  noteMirrors(done);
  if (variables_.owned().empty())
    return absl::OkStatus();
  if (std::string what = notFinite(); !what.empty()) {
    done->set_not_finite(std::move(what));
    return absl::OkStatus();
  }
  std::vector<checkpoint::TensorView> tensors;
  for (uint32_t index : variables_.owned()) {
    const plan::Variable &variable = plan_.variables(static_cast<int>(index));
    std::span<const uint8_t> data = std::as_const(variables_).data(index);
    tensors.push_back({variable.name(), variable.type(), data.data(), data.size(),
                       variable.has_part_of() ? std::optional(variable.part_of()) : std::nullopt});
  }
  std::string file =
      checkpoint::shardFile(plan_.jobs(static_cast<int>(task_.job())).name(), task_.index());
  GRAPHC_ASSIGN_OR_RETURN(checkpoint::ShardInfo shard,
                          checkpoint::writeShard(order.directory(), nonces_.at(order.directory()),
                                                 order.step(), file, tensors));
  done->set_shard(checkpoint::encodeShard(shard));
  return absl::OkStatus();
}

absl::Status TaskCheckpoint::dump(const service::Order::Dump &order) const {
  GRAPHC_RETURN_IF_ERROR(variables_.fromDevices());
  for (uint32_t index : variables_.owned()) {
    const plan::Variable &variable = plan_.variables(static_cast<int>(index));
    std::span<const uint8_t> data = std::as_const(variables_).data(index);
    const std::string name = checkpoint::npyFileName(plan::modelName(variable));
    const std::string path = absl::StrCat(order.directory(), "/", name);
    auto dump = dumps_.find(order.directory());
    if (dump == dumps_.end() || !isReplaced(path)) {
      if (variable.has_part_of())
        return notRegular(path);
      GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpy(path, variable.type(), data.data(), data.size()));
      continue;
    }
    const std::string file =
        absl::StrCat(checkpoint::dumpPath(order.directory(), dump->second), "/", name);
    if (variable.has_part_of()) { // the chief gives it its name
      GRAPHC_RETURN_IF_ERROR(checkpoint::writeNpyPart(
          file, variable.part_of().type(), plan::modelOffset(variable), data.data(), data.size()));
      continue;
    }
    GRAPHC_RETURN_IF_ERROR(
        checkpoint::writeNpyPart(file, variable.type(), 0, data.data(), data.size()));
    GRAPHC_RETURN_IF_ERROR(checkpoint::finishNpyParts(file));
    GRAPHC_RETURN_IF_ERROR(checkpoint::publish(order.directory(), dump->second, name));
  }
  return absl::OkStatus();
}

} // namespace graphc::session
