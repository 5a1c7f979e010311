#include "runtime/service/MessageParts.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace graphc::service {

size_t mostWholeBytes(const plan::Plan &plan) {
  size_t most = kMostWholeBytes;
  for (const plan::Program &program : plan.programs()) {
    size_t bytes = size_t{1} << 20;
    for (const plan::Port &fetch : program.fetches())
      bytes += program.buffers(static_cast<int>(fetch.buffer())).bytes() + 64;
    most = std::max(most, bytes);
  }
  return most;
}

std::list<FromTask> splitMessage(FromTask message, size_t most) {
  std::list<FromTask> all;
  const size_t length = message.ByteSizeLong();
  if (length > most) {
    Error &error = *all.emplace_back().mutable_failed();
    error.set_code(static_cast<int>(absl::StatusCode::kResourceExhausted));
    error.set_message(absl::StrCat("the results and metrics of a step take ", length,
                                   " bytes, more than the ", most,
                                   " that a task can send to the chief; fetch a smaller result"));
    return all;
  }
  if (length <= 2 * kPartBytes) {
    all.push_back(std::move(message));
    return all;
  }
  const std::string bytes = message.SerializeAsString();
  for (size_t at = 0; at < bytes.size(); at += kPartBytes) {
    FromTask::Part &part = *all.emplace_back().mutable_part();
    part.set_data(bytes.substr(at, kPartBytes));
    part.set_last(at + kPartBytes >= bytes.size());
  }
  return all;
}

absl::StatusOr<std::optional<FromTask>> PartAssembler::add(const FromTask::Part &part) {
  if (part.data().size() > most_ - bytes_.size())
    return absl::ResourceExhaustedError(absl::StrCat(
        "it sends a message of over ", most_, " bytes, which is the longest that this plan needs"));
  bytes_ += part.data();
  if (!part.last())
    return std::nullopt;
  FromTask whole;
  const bool isOne = whole.ParseFromString(std::exchange(bytes_, ""));
  if (!isOne || whole.has_part() || whole.has_hello())
    return absl::InvalidArgumentError("it sends parts that do not form a valid message");
  return whole;
}

} // namespace graphc::service
