// Which orders a task obeys: a chief that is out of its mind gets an error with a name and no
// crash.
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/session/task/OrderExecutor.h"
#include "test/runtime/session/LonePlan.h"
#include "test/runtime/session/ScriptedLink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

namespace graphc::session {
namespace {
using service::Order;
using testing::AllOf;
using testing::HasSubstr;

/// Orders with the numbers that a master gives, and what a task makes of them.
struct Orders : testing::Test {
  explicit Orders(plan::Plan of = plan::lonePlan()) { use(std::move(of)); }
  void use(plan::Plan of) {
    loaded.plan = std::move(of);
    loaded.fingerprint = std::string(64, 'a');
    script.clear();
  }
  ~Orders() override { std::filesystem::remove_all(folder); }

  Order &add() {
    Order &order = *script.emplace_back().mutable_order();
    order.set_id(script.size());
    return order;
  }
  Order::Prepare &prepare() {
    Order::Prepare &prepare = *add().mutable_prepare();
    prepare.set_transport("auto");
    prepare.set_run("run-1");
    std::vector<plan::Task> tasks = plan::allTasks(loaded.plan);
    for (uint32_t task = 0; task < tasks.size(); ++task) {
      service::Peer &peer = *prepare.add_peers();
      peer.set_task(task);
      peer.set_name(plan::taskText(loaded.plan, tasks[task]));
      peer.set_address(tasks.size() > 1 ? "localhost:" + std::to_string(2000 + task) : "");
      peer.set_incarnation(100 + task);
      peer.set_host("here");
      peer.set_host_id("this-one");
    }
    return prepare;
  }
  Order::Connect &connect() {
    Order::Connect &connect = *add().mutable_connect();
    for (int phase = 0; phase < loaded.plan.phases_size(); ++phase)
      connect.add_phases(uint32_t(phase));
    return connect;
  }
  void initialize() { add().mutable_initialize(); }
  Order::Begin &begin(uint64_t generation = 1) {
    Order::Begin &begin = *add().mutable_begin();
    begin.set_generation(generation);
    begin.set_steps(3);
    begin.set_epoch_samples(loaded.plan.phases(0).samples_per_step() ? 10 : 0);
    return begin;
  }
  void go() { add().mutable_run(); }
  Order::Check &checkFolder() {
    Order::Check &check = *add().mutable_check();
    check.set_directory(folder);
    return check;
  }
  Order::Save &save() {
    Order::Save &save = *add().mutable_save();
    save.set_directory(folder);
    return save;
  }
  void upTo(int orders) {
    if (orders > 0)
      prepare();
    if (orders > 1)
      connect();
    if (orders > 2)
      initialize();
    if (orders > 3)
      begin();
  }
  /// The error that the task ends with; "" where it ends well.
  std::string run() {
    ScriptedLink link(script);
    TaskOptions options;
    options.transport.incarnation = 100;
    options.log = options.warn = [](const std::string &) {};
    OrderExecutor session(loaded, options, link);
    std::optional<TaskFailure> failure = session.run();
    for (const service::FromTask &message : link.sent()) {
      obeyed += message.has_done() && !message.done().has_error();
      if (message.done().steps())
        stops.push_back(message.done().stopped());
    }
    return failure ? std::string(failure->status.message()) : "";
  }

  plan::LoadedPlan loaded;
  std::vector<service::ToTask> script;
  int obeyed = 0;
  std::vector<bool> stops; ///< of the phases that ran
  std::string folder = testing::TempDir() + "/orders-" + std::to_string(getpid());
};

TEST_F(Orders, AWholeRunIsObeyed) {
  ASSERT_EQ(plan::verifyPlan(loaded.plan), absl::OkStatus());
  Order::Prepare &alone = prepare();
  alone.add_fetches("loss");
  alone.clear_run();
  connect();
  checkFolder();
  initialize();
  for (uint32_t phase : {0, 1, 0}) {
    begin(script.size()).set_phase(phase);
    go();
  }
  add().mutable_dump()->set_directory(folder);
  add().mutable_end();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(obeyed, 12);
}

TEST_F(Orders, NothingComesBeforePrepare) {
  using Make = void (*)(Order &);
  const Make early[] = {[](Order &order) { order.mutable_connect(); },
                        [](Order &order) { order.mutable_initialize(); },
                        [](Order &order) { order.mutable_begin(); },
                        [](Order &order) { order.mutable_run(); },
                        [](Order &order) { order.mutable_save(); },
                        [](Order &order) { order.mutable_dump(); },
                        [](Order &order) { order.mutable_check(); },
                        [](Order &order) { order.mutable_end(); }};
  for (Make make : early) {
    script.clear();
    make(add());
    EXPECT_THAT(run(),
                AllOf(HasSubstr("the chief's order 1"), HasSubstr("only prepare may come now")));
  }
}

TEST_F(Orders, EachStateHasItsOrders) {
  struct Case {
    int before; ///< orders of the usual ones
    std::function<void()> add;
    const char *may;
  };
  const Case cases[] = {{1, [&] { prepare(); }, "only connect may come now"},
                        {1, [&] { initialize(); }, "only connect may come now"},
                        {2, [&] { connect(); }, "only check, copy and initialize may come now"},
                        {2, [&] { begin(); }, "only check, copy and initialize may come now"},
                        {2, [&] { save(); }, "only check, copy and initialize may come now"},
                        {3, [&] { go(); }, "only begin, save, dump and end may come now"},
                        {3, [&] { checkFolder(); }, "only begin, save, dump and end may come now"},
                        {3, [&] { initialize(); }, "only begin, save, dump and end may come now"},
                        {4, [&] { begin(2); }, "only run may come now"},
                        {4, [&] { add().mutable_end(); }, "only run may come now"},
                        {3, [&] { add(); }, "start every task with the same graphrun"},
                        {3,
                         [&] {
                           add().mutable_end();
                           add().mutable_end();
                         },
                         "nothing may come behind the end"},
                        {3, [&] { add().set_id(2); }, "it comes behind order 3"}};
  for (const Case &one : cases) {
    script.clear();
    upTo(one.before);
    one.add();
    if (std::string(one.may).starts_with("it comes"))
      script.back().mutable_order()->mutable_end();
    EXPECT_THAT(run(), HasSubstr(one.may)) << one.before;
  }
}

TEST_F(Orders, ReleaseBeforeTheEndIsAnError) {
  upTo(3);
  EXPECT_EQ(run(), "the chief let this task go before the end of the run");
}

TEST_F(Orders, AnAbortThatSaysNothingIsAnError) {
  script.emplace_back().mutable_abort();
  EXPECT_EQ(run(), "the chief ended the run and did not say why");
}

TEST_F(Orders, PrepareFitsThePlan) {
  use(plan::parameterServerPlan({1, 2}));
  struct Case {
    std::function<void(Order::Prepare &)> change;
    const char *why;
  };
  const Case cases[] = {
      {[](auto &order) { order.mutable_peers()->RemoveLast(); },
       "it has 2 peers, the plan 3 tasks"},
      {[](auto &order) { order.clear_peers(); }, "it has 0 peers"},
      {[](auto &order) { *order.add_peers() = order.peers(0); }, "it has 4 peers"},
      {[](auto &order) { *order.mutable_peers(2) = order.peers(1); },
       "task 1 stands where task 2 of the plan"},
      {[](auto &order) { order.mutable_peers(1)->set_name("/job:ps/task:0"); },
       "task 1 stands where task 1"},
      {[](auto &order) { order.mutable_peers(1)->set_address("dns:///somewhere:80"); },
       "malformed address"},
      {[](auto &order) { order.mutable_peers(1)->set_address("localhost"); }, "malformed address"},
      {[](auto &order) { order.mutable_peers(1)->set_address(std::string(5000, 'a')); },
       "an address has 5000 bytes"},
      {[](auto &order) { order.mutable_peers(2)->set_host("a\33[2J"); },
       "the host's name has control characters"},
      {[](auto &order) { order.mutable_peers(0)->set_incarnation(7); },
       "another process that was this task"},
      {[](auto &order) { order.set_transport("carrier pigeon"); },
       "the transport is none of auto, shm and grpc"},
      {[](auto &order) { order.set_run("../../run"); }, "the run's name is malformed"},
      {[](auto &order) { order.clear_run(); }, "the run's name is malformed"},
      {[](auto &order) { order.add_fetches("no such"); }, "a result that the plan does not have"}};
  for (const Case &one : cases) {
    script.clear();
    one.change(prepare());
    EXPECT_THAT(run(), AllOf(HasSubstr("the chief's order 1, prepare: "), HasSubstr(one.why)));
  }
}

TEST_F(Orders, BeginIsWithinThePlanAndBehindTheLastGeneration) {
  struct Case {
    std::function<void(Order::Begin &)> change;
    const char *why;
  };
  const Case cases[] = {
      {[](auto &order) { order.set_phase(2); }, "the plan has 2 phases and no phase 2"},
      {[](auto &order) { order.set_phase(UINT32_MAX); }, "no phase 4294967295"},
      {[](auto &order) { order.set_generation(5); }, "generation 5 comes behind generation 5"},
      {[](auto &order) { order.set_generation(4); }, "generation 4 comes behind generation 5"},
      {[](auto &order) { order.set_resume_step(order.steps() + 1); }, "it goes on with step "},
      {[](auto &order) { order.set_steps(0); }, "0 steps from step 0 on"},
      {[](auto &order) { order.set_steps(UINT64_MAX); }, "a run has 1 to"},
      {[](auto &order) { order.set_first_step(UINT64_MAX - 1); }, "a run has 1 to"},
      {[](auto &order) { order.add_other_positions(1); }, "1 more positions in the data for "},
      {[](auto &order) { order.add_taken(), order.add_taken(); },
       "samples that were taken ahead, of 2 streams"},
      {[](auto &order) { order.add_taken()->add_ahead(5); },
       "what was taken ahead of other samples has a begin without"},
      {[](auto &order) { order.mutable_reports(); }, "reports every 0 steps or 0 seconds"},
      {[](auto &order) { order.mutable_reports()->set_every_seconds(-1); },
       "reports every 0 steps or -1 seconds"},
      {[](auto &order) { order.mutable_reports()->set_every_seconds(std::nan("")); },
       "reports every 0 steps or nan"},
      {[](auto &order) { order.set_epoch_samples(0); },
       "epochs of 0 samples in a phase that takes 4 a step"},
      {[](auto &order) { order.set_epoch_samples(UINT64_MAX); },
       "epochs of 18446744073709551615 samples"},
      {[](auto &order) { order.mutable_trace()->set_first(0); }, "a trace of 0 steps from 0 on"},
      {[](auto &order) { order.mutable_trace()->set_steps(order.steps() + 1); },
       " steps from 0 on, of "},
      {[](auto &order) {
         order.mutable_trace()->set_steps(1);
         order.mutable_trace()->set_first(UINT64_MAX);
       },
       "a trace of 1 steps from 18446744073709551615 on"},
      {[](auto &order) { order.set_epoch_samples(11); },
       "11 samples of data set made, which has 10 here"}};
  for (const Case &one : cases) {
    script.clear();
    upTo(3);
    begin(5);
    go();
    one.change(begin(6));
    EXPECT_THAT(run(), AllOf(HasSubstr("order 6, begin: "), HasSubstr(one.why)));
  }
  script.clear(); // any place in the data is one
  upTo(3);
  begin().set_position(UINT64_MAX);
  go();
  add().mutable_end();
  EXPECT_EQ(run(), "");
}

TEST_F(Orders, ThePhasesOfARunAreThoseOfConnect) {
  prepare();
  connect().add_phases(2);
  EXPECT_THAT(run(), HasSubstr("the plan has 2 phases and no phase 2"));
  script.clear();
  prepare();
  connect().mutable_phases()->RemoveLast();
  initialize();
  begin().set_phase(1);
  EXPECT_THAT(run(), HasSubstr("phase 1 is none that connect has named"));
}

TEST_F(Orders, AStopEndsThePhaseThatItIsFor) {
  auto stopped = [&](uint64_t phase, uint64_t generation) {
    script.clear();
    stops.clear();
    upTo(3);
    begin(5);
    go();
    begin(6).set_phase(static_cast<uint32_t>(phase));
    script.emplace_back().set_stop(generation);
    go();
    add().mutable_end();
    EXPECT_EQ(run(), "");
    return stops;
  };
  for (uint64_t phase : {0, 1}) {
    EXPECT_EQ(stopped(phase, 6), (std::vector{false, true})) << phase;
    EXPECT_EQ(stopped(phase, 5), (std::vector{false, false}))
        << "it came too late for the phase before";
  }
}

TEST_F(Orders, FilesGoWhereTheTaskHasLooked) {
  upTo(3);
  save();
  EXPECT_THAT(run(), HasSubstr("save: its folder is none that this task has checked"));
  script.clear();
  upTo(2);
  checkFolder(); // without a nonce: for a dump alone
  initialize();
  save();
  EXPECT_THAT(run(), HasSubstr("save: its folder is none that this task has checked"));
  script.clear();
  upTo(3);
  add().mutable_dump()->set_directory(folder);
  EXPECT_THAT(run(), HasSubstr("dump: its folder is none that this task has checked"));
  script.clear();
  upTo(2);
  checkFolder().set_nonce("../../../etc/passwd");
  EXPECT_THAT(run(), HasSubstr("malformed nonce"));
  for (const std::string &name : {std::string(), std::string("a\0b", 3), std::string(5000, 'a')}) {
    script.clear();
    upTo(2);
    checkFolder().set_directory(name);
    EXPECT_THAT(run(), AllOf(HasSubstr("check: the folder has "), HasSubstr("name")))
        << name.size();
  }
  script.clear();
  upTo(2);
  add().mutable_initialize()->set_restore_from(std::string(5000, 'a'));
  EXPECT_THAT(run(), HasSubstr("initialize: the checkpoint has a name that no file can have"));
  script.clear();
  upTo(2);
  add().mutable_initialize()->mutable_init_file()->set_bytes(7);
  EXPECT_THAT(run(), HasSubstr("initialize: it begins from a file without a name"));
}

TEST(ControlLink, AFloodOfOrdersEndsTheLink) {
  struct Link final : service::ControlLink {
    void send(service::FromTask) override {}
    void close() override {}
    using ControlLink::deliver;
  } link;
  service::ToTask order;
  order.mutable_order()->mutable_connect();
  for (int i = 0; i < 10000; ++i)
    link.deliver(order);
  EXPECT_TRUE(absl::IsResourceExhausted(link.ended())) << link.ended();
  EXPECT_THAT(std::string(link.ended().message()),
              HasSubstr("the chief sends more than this task can do"));
}

struct CheckOrdersTest : testing::Test {
  service::CheckOrder order(uint64_t id) {
    service::CheckOrder made;
    made.set_id(id);
    return made;
  }
  service::CheckOrder prepare(uint64_t id) {
    service::CheckOrder made = order(id);
    made.mutable_prepare()->set_run("check-1");
    made.mutable_prepare()->set_transport("auto");
    service::Peer &peer = *made.mutable_prepare()->add_peers();
    peer.set_task(2);
    peer.set_name("/job:worker/task:1");
    peer.set_address("localhost:2222");
    return made;
  }
  std::string take(const service::CheckOrder &order) {
    return std::string(orders.take(order).message());
  }
  const plan::Plan plan = plan::parameterServerPlan({1, 2});
  CheckOrderValidator orders{plan, 0};
};

TEST_F(CheckOrdersTest, AWholeCheckIsObeyed) {
  service::CheckOrder look = order(1), reach = order(2), connect = order(4), measure = order(5),
                      end = order(7);
  look.mutable_look();
  reach.mutable_reach()->add_peers()->set_task(2);
  reach.mutable_reach()->mutable_peers(0)->set_address("localhost:2222");
  connect.mutable_connect();
  measure.mutable_measure()->set_peer(2);
  measure.mutable_measure()->set_seconds(0.5);
  end.mutable_end();
  for (const service::CheckOrder &one : {look, reach, prepare(3), connect, measure})
    EXPECT_EQ(take(one), "");
  measure.set_id(6);
  EXPECT_EQ(take(measure), "");
  EXPECT_EQ(take(end), "");
  look.set_id(8);
  EXPECT_THAT(take(look), HasSubstr("order 8, look: it comes too late"));
}

TEST_F(CheckOrdersTest, EveryFieldIsWithinThePlan) {
  auto refuses = [&](auto change, const char *why) {
    service::CheckOrder made = prepare(1);
    change(*made.mutable_prepare());
    EXPECT_THAT(take(made), HasSubstr(why));
  };
  refuses([](auto &prepare) { prepare.mutable_peers(0)->set_task(3); },
          "task 3 is none of the plan's others");
  refuses([](auto &prepare) { prepare.mutable_peers(0)->set_task(0); },
          "task 0 is none of the plan's others");
  refuses([](auto &prepare) { *prepare.add_peers() = prepare.peers(0); },
          "task 2 is none of the plan's others, or is");
  refuses([](auto &prepare) { prepare.mutable_peers(0)->set_name("me"); },
          "task 2 stands where task 2");
  refuses([](auto &prepare) { prepare.mutable_peers(0)->set_address("xds:///x"); },
          "malformed address");
  refuses([](auto &prepare) { prepare.set_transport(""); }, "the transport is none of");
  refuses([](auto &prepare) { prepare.set_run(std::string(65, 'a')); },
          "the run's name is malformed");
  service::CheckOrder measure = order(1), reach = order(1);
  measure.mutable_measure()->set_peer(2);
  EXPECT_THAT(take(measure), HasSubstr("no link with task 2 was prepared"));
  for (int i = 0; i < 1000; ++i)
    reach.mutable_reach()->add_peers()->set_task(1);
  EXPECT_THAT(take(reach), HasSubstr("is named twice"));
  EXPECT_THAT(take(order(1)), HasSubstr("start every task with the same graphrun"));
  ASSERT_EQ(take(prepare(2)), "");
  measure.set_id(3);
  for (double seconds : {-1.0, 1e9, std::nan("")}) {
    measure.mutable_measure()->set_seconds(seconds);
    EXPECT_THAT(take(measure), HasSubstr("a link is measured for 60 s at most"));
  }
}

} // namespace
} // namespace graphc::session
