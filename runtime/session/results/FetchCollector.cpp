#include "runtime/session/results/FetchCollector.h"

#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/SumTree.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace graphc::session {
namespace {
template <class T>
T sum(const std::vector<std::string> &values, size_t first, size_t count, uint64_t element) {
  if (count == 1)
    return loadElement<T>(values[first].data(), element);
  const auto left = static_cast<size_t>(plan::leftLeaves(count));
  T a = sum<T>(values, first, left, element),
    b = sum<T>(values, first + left, count - left, element);
  if constexpr (std::is_integral_v<T>) // wraps
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

/// `counted`: what the mean divides by, 0: the sum is wanted.
template <class T>
void accumulate(std::string &result, const std::vector<std::string> &values, uint64_t counted) {
  for (size_t i = 0; i < result.size() / sizeof(T); ++i) {
    T total = sum<T>(values, 0, values.size(), i);
    if (counted)
      total /= static_cast<T>(counted);
    std::memcpy(result.data() + i * sizeof(T), &total, sizeof(T));
  }
}
} // namespace

// By the tree of all sums, as the aggregated gradients are: the same on every run.
std::string reduceOverReplicas(const plan::Port &port, const plan::Program &program,
                               const std::vector<std::string> &values) {
  std::string sum = values[0];
  const uint64_t microBatches = std::max(1u, port.micro_batches()); // of each value
  if (values.size() * microBatches == 1 || port.reduction() == plan::FIRST_REPLICA)
    return sum;
  const uint64_t counted = port.reduction() == plan::MEAN ? values.size() * microBatches : 0;
  switch (program.buffers(static_cast<int>(port.buffer())).type().dtype()) {
  case plan::F32:
    accumulate<float>(sum, values, counted);
    break;
  case plan::F64:
    accumulate<double>(sum, values, counted);
    break;
  case plan::I32:
    accumulate<int32_t>(sum, values, counted);
    break;
  case plan::I64:
    accumulate<int64_t>(sum, values, counted);
    break;
  default:
    break; // i1 and bytes have no sum: the first replica's
  }
  return sum;
}

FetchedTensor FetchCollector::whole(uint64_t step, const plan::Program &program,
                                    const plan::Port &port,
                                    const std::vector<std::string> &values) const {
  FetchedTensor tensor{"",   port.name(),
                       step, program.buffers(static_cast<int>(port.buffer())).type(),
                       "",   program.phase()};
  if (program.phase() != joinedPhase_ || !joined_.contains(port.name())) {
    tensor.data = reduceOverReplicas(port, program, values);
    return tensor;
  }
  tensor.type.set_shape(0, tensor.type.shape(0) * static_cast<int64_t>(values.size()));
  for (const std::string &value : values)
    tensor.data += value;
  return tensor;
}

/// A result is delivered once every instance's value is there, in the order of steps and of the
/// names that were asked for.
absl::Status FetchCollector::add(const service::Fetched &value) {
  const plan::Program &program = plan_.programs(static_cast<int>(value.program()));
  const plan::Port &port = program.fetches(static_cast<int>(value.fetch()));
  const plan::Buffer &buffer = program.buffers(static_cast<int>(port.buffer()));
  // Asynchronous replicas share no step: each one's value is delivered as it comes, with the name
  // of its task.
  if (plan_.phases(static_cast<int>(program.phase())).ends_by_end_of_stream()) {
    base::MutexLock lock(mutex_);
    FetchedTensor tensor = whole(value.step(), program, port, {value.value()});
    tensor.task = plan::taskText(plan_, plan::instanceTask(plan_, program, value.instance()));
    deliver_(tensor);
    return absl::OkStatus();
  }
  auto place =
      static_cast<size_t>(std::find(names_.begin(), names_.end(), port.name()) - names_.begin());

  base::MutexLock lock(mutex_);
  Pending &entry = pending_[{value.step(), place, value.program(), value.fetch()}];
  if (entry.values.empty()) {
    entry.values.resize(program.instances());
    entry.there.resize(program.instances());
    entry.missing = program.instances();
  }
  if (entry.there[value.instance()])
    return absl::InvalidArgumentError(
        absl::StrCat(port.name(), " of step ", value.step() + 1, " comes twice"));
  entry.there[value.instance()] = true;
  --entry.missing;
  entry.values[value.instance()] = value.value();
  waiting_ += buffer.bytes() + kWaitingBytes;
  while (!pending_.empty() && pending_.begin()->second.missing == 0) {
    auto &[key, ready] = *pending_.begin();
    const plan::Program &from = plan_.programs(static_cast<int>(std::get<2>(key)));
    const plan::Port &fetch = from.fetches(static_cast<int>(std::get<3>(key)));
    deliver_(whole(std::get<0>(key), from, fetch, ready.values));
    for (const std::string &one : ready.values)
      waiting_ -= one.size() + kWaitingBytes;
    pending_.erase(pending_.begin());
  }
  if (waiting_ > mostWaiting_ && pending_.size() > kFewWaiting)
    return absl::ResourceExhaustedError(absl::StrCat(pending_.size(), " results, ", waiting_,
                                                     " bytes, wait for those of other replicas"));
  return absl::OkStatus();
}

static service::FromTask messageOf(const executor::LaneInfo &lane, uint64_t step) {
  service::FromTask message;
  message.mutable_fetched()->set_program(lane.programIndex);
  message.mutable_fetched()->set_instance(lane.instance);
  message.mutable_fetched()->set_step(step);
  return message;
}

service::FromTask fetchedMessage(const executor::LaneInfo &lane, uint32_t fetch, uint64_t step,
                                 const void *data) {
  const plan::Buffer &buffer = lane.program->buffers(
      static_cast<int>(lane.program->fetches(static_cast<int>(fetch)).buffer()));
  service::FromTask message = messageOf(lane, step);
  message.mutable_fetched()->set_fetch(fetch);
  message.mutable_fetched()->set_value(data, buffer.bytes());
  return message;
}

service::FromTask reportMessage(const executor::LaneInfo &lane, uint64_t step,
                                service::Report report) {
  service::FromTask message = messageOf(lane, step);
  *message.mutable_fetched()->mutable_report() = std::move(report);
  return message;
}

} // namespace graphc::session
