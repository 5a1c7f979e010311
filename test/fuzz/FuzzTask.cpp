// A task and a chief that is out of its mind: any orders in any order, obeyed by a real session of
// a real plan. Everything ends by an error or the end of the run, within the time that libFuzzer
// gives an input.
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/executor/ControlMessage.h"
#include "runtime/session/task/OrderExecutor.h"
#include "test/fuzz/Protocol.h"
#include "test/runtime/session/ScriptedLink.h"

#include <google/protobuf/stubs/logging.h>

#include <climits>
#include <cstdlib>
#include <sys/stat.h>

using namespace graphc;

namespace {
/// Bits of Line::how and of Script::setting.
constexpr uint8_t kKeepId = 1, kSeveral = 1, kWorker = 2;

/// A name that may be a file's is one in the folder; what can be none stays.
std::string confined(const std::string &path) {
  if (path.empty() || path.size() >= PATH_MAX || path.find('\0') != std::string::npos)
    return path;
  return test::scratchFolder() + "/" + (path.back() % 4 ? "folder" : "other");
}

const checkpoint::CheckpointNonce &nonce() {
  static const checkpoint::CheckpointNonce made = [] {
    std::string folder = confined("\1");
    if (mkdir(folder.c_str(), 0700) != 0)
      abort();
    auto nonce = checkpoint::CheckpointNonce::create(folder);
    if (!nonce.ok())
      abort();
    return *std::move(nonce);
  }();
  return made;
}

/// What would go on for ever, or go out of here, does not.
void tame(service::Order &order, bool several) {
  switch (order.kind_case()) {
  case service::Order::kBegin:
    if (order.begin().steps() > 4 && order.begin().steps() <= executor::kMostSteps)
      order.mutable_begin()->set_steps(order.begin().steps() % 4 + 1);
    break;
  case service::Order::kConnect:
    if (several) // there is nobody to connect to
      order.mutable_end();
    break;
  case service::Order::kInitialize:
    order.mutable_initialize()->set_restore_from(confined(order.initialize().restore_from()));
    order.mutable_initialize()->set_init_from(confined(order.initialize().init_from()));
    break;
  case service::Order::kSave:
    order.mutable_save()->set_directory(confined(order.save().directory()));
    break;
  case service::Order::kCheck:
    order.mutable_check()->set_directory(confined(order.check().directory()));
    if (order.check().nonce().size() == nonce().word().size())
      order.mutable_check()->set_nonce(nonce().word());
    break;
  case service::Order::kDump:
    order.mutable_dump()->set_directory(confined(order.dump().directory()));
    break;
  default:
    break;
  }
}
} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  return test::mutateScript(data, size, maxSize, seed, test::mutateMessage<service::ToTask>);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  google::protobuf::SetLogHandler(nullptr);
  test::Script script = test::readScript({reinterpret_cast<const char *>(data), size});
  const bool several = script.setting & kSeveral;
  const plan::LoadedPlan &plan = test::protocolPlan(several);
  std::vector<service::ToTask> messages;
  bool stepped = false;
  for (const test::Line &line : script.lines) {
    service::ToTask &message = messages.emplace_back();
    if (!message.ParseFromString(line.bytes))
      message.Clear(); // gRPC ends the stream
    if (!message.has_order())
      continue;
    tame(*message.mutable_order(), several);
    if (!(line.how & kKeepId))
      message.mutable_order()->set_id(messages.size());
    stepped |= message.order().prepare().has_stepped();
    if (stepped && message.order().has_run()) {
      // a chief may take its time between two steps, this one takes none
      const service::ToTask run = std::move(message);
      message.mutable_step_permit()->set_steps(executor::kMostSteps);
      messages.push_back(run);
    }
  }
  session::ScriptedLink link(std::move(messages));
  transport::DataService streams;
  session::TaskOptions options;
  options.task = several && (script.setting & kWorker) ? 1 : 0;
  options.transport.incarnation = 100 + options.task;
  options.transport.data = &streams;
  options.deadline = absl::Seconds(2);
  options.log = options.warn = [](const std::string &) {};
  session::OrderExecutor session(plan, std::move(options), link);
  (void)session.progress();
  if (std::optional<session::TaskFailure> failure = session.run())
    if (failure->status.ok() || failure->status.message().empty())
      abort(); // an error without a name
  return 0;
}
