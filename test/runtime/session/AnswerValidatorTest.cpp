// What a task may say to its master: one that is out of its mind ends the run by its own name, and
// harms nobody else's process.
#include "runtime/session/master/AnswerValidator.h"

#include "runtime/common/base/File.h"
#include "test/runtime/session/AnsweredRun.h"

#include "absl/time/clock.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace graphc::session {
namespace {
using service::Done;
using service::Order;
using testing::AllOf;
using testing::HasSubstr;

struct Answers : AnsweredRun {};

TEST_F(Answers, HonestOnesMakeARun) {
  EXPECT_EQ(run(), "");
  options.checkpointDirectory = folder;
  EXPECT_EQ(run(), "");
  loaded.plan = plan::lonePlan();
  options = {};
  EXPECT_EQ(run(), "");
}

TEST_F(Answers, AnOrderIsAnsweredOnceByWhomItWasGivenTo) {
  EXPECT_THAT(
      with(Order::kConnect, [](Done &done) { done.set_id(77); }),
      "/job:ps/task:1: its answer to order 77 is none: it was not asked, or has answered already");
  EXPECT_THAT(with(Order::kConnect, [&](Done &done) { coordinator->done({1, 100 + 1}, done); }),
              AllOf(HasSubstr("/job:ps/task:1"), HasSubstr("answered already")));
  EXPECT_THAT(with(Order::kConnect, [&](Done &done) { coordinator->done({2, 100 + 2}, done); }),
              AllOf(HasSubstr("/job:worker/task:0"), HasSubstr("answered already")))
      << "task 2 is heard before it was asked; its own answer is the second";
}

TEST_F(Answers, SayNothingButWhatWasAsked) {
  const std::pair<const char *, std::function<void(Done &)>> all[] = {
      {"steps", [](Done &done) { done.set_steps(1); }},
      {"losses", [](Done &done) { done.add_losses(); }},
      {"metrics", [](Done &done) { done.add_metrics(); }},
      {"shard", [](Done &done) { done.set_shard("{}"); }},
      {"stats", [](Done &done) { done.set_stats("{}"); }},
      {"global_step", [](Done &done) { done.set_global_step(4); }},
      {"datasets", [](Done &done) { done.add_datasets(); }},
      {"mirrors_crc", [](Done &done) { done.set_mirrors_crc(4); }},
      {"not_finite", [](Done &done) { done.set_not_finite("loss"); }},
      {"not_finite_step", [](Done &done) { done.set_not_finite_step(1); }}};
  for (auto &[field, add] : all)
    EXPECT_THAT(with(Order::kPrepare, add),
                HasSubstr("/job:ps/task:1: its answer to order 1 is none: it says what was "
                          "not asked"))
        << field;
}

TEST_F(Answers, ALossThatIsNoNumberIsToldWhereThatIsAsked) {
  auto tells = [](const std::string &text, uint64_t step = 3) {
    return [=](Done &done) {
      done.set_not_finite(text);
      done.set_not_finite_step(step);
    };
  };
  options.steps = 5;
  EXPECT_THAT(with(Order::kRun, tells("loss is NaN")), HasSubstr("which nobody has asked for"));
  options.nanStops = true;
  EXPECT_THAT(with(Order::kRun, tells(std::string(1 << 20, 'x'))), HasSubstr("or too much of it"));
  EXPECT_THAT(with(Order::kRun, tells("loss is NaN", 0)), HasSubstr("a loss that is no number"));
  EXPECT_THAT(with(Order::kRun, tells("", 3)), HasSubstr("a loss that is no number"));
  EXPECT_EQ(with(Order::kRun, tells("loss is NaN")), "");
}

TEST_F(Answers, AlgorithmsAreWordsOfOneKernelEach) {
  auto tells = [](const char *kernel, const std::string &text) {
    return [=](Done &done) {
      for (int i = 0; i < (text == "twice" ? 2 : 1); ++i) {
        service::Algorithm &one = *done.add_algorithms();
        one.set_kernel(kernel);
        one.set_text(text);
      }
    };
  };
  EXPECT_THAT(with(Order::kConnect, tells("p", "a")), HasSubstr("it says what was not asked"));
  EXPECT_THAT(with(Order::kPrepare, tells("p", "\x1b[2J")),
              HasSubstr("an algorithm has control characters"));
  EXPECT_THAT(with(Order::kPrepare, tells("p", std::string(1025, 'a'))),
              HasSubstr("1025 bytes, at most 1024"));
  EXPECT_THAT(with(Order::kPrepare, tells("", "a")), HasSubstr("of no kernel"));
  EXPECT_THAT(with(Order::kPrepare, tells("p", "twice")), HasSubstr("has one already"));
}

TEST_F(Answers, NumbersAreThePlansOwn) {
  auto dataset = [](uint32_t index, uint64_t samples) {
    return [=](Done &done) {
      service::DatasetSize &size = *done.add_datasets();
      size.set_dataset(index);
      size.set_samples(samples);
    };
  };
  EXPECT_THAT(with(Order::kConnect, dataset(UINT32_MAX, 5)),
              HasSubstr("data set 4294967295, which it does not read"));
  auto loss = [](uint64_t epoch, uint64_t count) {
    return [=](Done &done) {
      service::EpochSum &sum = *done.add_losses();
      sum.set_epoch(epoch);
      sum.set_count(count);
    };
  };
  EXPECT_THAT(with(Order::kRun, loss(UINT64_MAX, 1)),
              HasSubstr("losses of epoch 18446744073709551615"));
  EXPECT_THAT(with(Order::kRun, loss(0, UINT64_MAX)),
              HasSubstr("a sum of 18446744073709551615 losses"));
  EXPECT_THAT(with(Order::kRun,
                   [&](Done &done) {
                     for (uint64_t epoch = 0; epoch < 1000; ++epoch)
                       loss(epoch, 1)(done);
                   }),
              HasSubstr("1000 sums of losses from 1 lanes"));
  EXPECT_THAT(with(Order::kRun, [](Done &done) { done.set_steps(4); }), HasSubstr("4 steps of 3"));
  EXPECT_THAT(with(Order::kRun, [](Done &done) { done.add_metrics()->set_name("loss"); }),
              HasSubstr("a metric that it does not compute"));
  for (int64_t step : {int64_t{-1}, INT64_MAX})
    EXPECT_THAT(with(
                    Order::kInitialize, [=](Done &done) { done.set_global_step(step); }, 0),
                AllOf(HasSubstr("/job:ps/task:0"), HasSubstr("expected 0 to ")));
  EXPECT_THAT(with(
                  Order::kInitialize, [](Done &done) { done.clear_global_step(); }, 0),
              HasSubstr("it does not tell the global step"));
  EXPECT_THAT(with(Order::kInitialize, [](Done &done) { done.set_global_step(0); }),
              HasSubstr("a global step that it does not have"));
  EXPECT_THAT(with(Order::kInitialize, [](Done &done) { done.set_mirrors_crc(0); }),
              HasSubstr("a checksum of mirrors that it does not have"));
}

TEST_F(Answers, ProgressIsOfNumbersThatCanBeAdded) {
  const auto with = [&](std::function<void(service::Progress &)> change) {
    return AnsweredRun::with(Order::kRun, [&, change](Done &) {
      service::Progress progress;
      progress.set_loss_count(1);
      change(progress);
      coordinator->progress({1, 100 + 1}, progress);
      heartbeat();
    });
  };
  EXPECT_EQ(with([](service::Progress &progress) { progress.set_loss_count(uint64_t{1} << 46); }),
            "");
  EXPECT_EQ(with([](service::Progress &progress) { progress.set_steps(executor::kMostSteps); }),
            "");
  const std::pair<const char *, std::function<void(service::Progress &)>> all[] = {
      {"9223372036854775807 losses",
       [](service::Progress &progress) { progress.set_loss_count(INT64_MAX); }},
      {"70368744177665 losses",
       [](service::Progress &progress) { progress.set_loss_count((uint64_t{1} << 46) + 1); }},
      {"281474976710656 steps",
       [](service::Progress &progress) { progress.set_steps(executor::kMostSteps + 1); }},
      {"281474976710656 steps",
       [](service::Progress &progress) { progress.set_tickets(executor::kMostSteps + 1); }},
      {"281474976710656 epochs",
       [](service::Progress &progress) { progress.set_loss_epoch(executor::kMostSteps + 1); }},
      {"7 lanes", [](service::Progress &progress) {
         for (int i = 0; i < 7; ++i)
           progress.add_lanes();
       }}};
  for (auto &[what, change] : all)
    EXPECT_EQ(with(change), std::string("/job:ps/task:1: its progress cannot be: ") + what);
}

TEST_F(Answers, DataSetsAreThoseThatTheTaskReads) {
  loaded.plan = plan::lonePlan();
  auto change = [&](std::function<void(Done &)> change) {
    return with(Order::kConnect, change, 0);
  };
  EXPECT_THAT(change([](Done &done) { done.clear_datasets(); }),
              HasSubstr("it does not tell the sizes"));
  EXPECT_THAT(change([](Done &done) { done.mutable_datasets(0)->set_samples(0); }),
              HasSubstr("made of 0 samples"));
  EXPECT_THAT(change([](Done &done) { done.mutable_datasets(0)->set_samples(UINT64_MAX); }),
              HasSubstr("samples"));
  EXPECT_THAT(change([](Done &done) {
                *done.add_datasets() = done.datasets(0);
                done.mutable_datasets(1)->set_samples(11);
              }),
              HasSubstr("made of 11 samples, or twice"));
  auto metric = [](int64_t count) {
    return [=](Done &done) {
      service::MetricSum &sum = *done.add_metrics();
      sum.set_name("accuracy");
      sum.set_count(count);
    };
  };
  options.entry = "eval";
  EXPECT_THAT(with(Order::kRun, metric(-1), 0), HasSubstr("accuracy of -1 samples"));
  EXPECT_THAT(with(Order::kRun, metric(INT64_MAX), 0),
              HasSubstr("accuracy of 9223372036854775807 samples"));
  EXPECT_EQ(with(Order::kRun, metric(10), 0), "");
}

TEST_F(Answers, AShardIsTheTasksOwn) {
  options.checkpointDirectory = folder;
  auto shard = [&](std::function<void(checkpoint::ShardInfo &)> change) {
    return with(Order::kSave, [=](Done &done) {
      checkpoint::ShardInfo info = *checkpoint::decodeShard(done.shard());
      change(info);
      done.set_shard(checkpoint::encodeShard(info));
    });
  };
  EXPECT_THAT(shard([](auto &info) { info.file = "ps-0.safetensors"; }),
              HasSubstr("the file of its shard is another's"));
  EXPECT_THAT(shard([](auto &info) { info.file = "../../x.safetensors"; }),
              HasSubstr("not the name of a shard"));
  EXPECT_THAT(shard([](auto &info) { info.variables.clear(); }),
              HasSubstr("other variables than it saves"));
  EXPECT_THAT(shard([](auto &info) { info.variables.push_back(info.variables[0]); }),
              HasSubstr("other variables"));
  EXPECT_THAT(shard([](auto &info) { info.variables[0].type.set_dtype(plan::I8); }),
              HasSubstr("other variables"));
  EXPECT_THAT(with(Order::kSave, [](Done &done) { done.set_shard("{"); }),
              HasSubstr("its answer to order"));
  EXPECT_THAT(with(Order::kSave, [](Done &done) { done.clear_shard(); }),
              HasSubstr("it has written no shard"));
  EXPECT_THAT(with(
                  Order::kSave, [](Done &done) { done.set_shard("{}"); }, 2),
              HasSubstr("and has no variables"));
  const auto isNoNumber = [](size_t bytes) {
    return [=](Done &done) {
      done.clear_shard();
      done.set_not_finite(std::string(bytes, 'w'));
    };
  };
  EXPECT_THAT(with(Order::kSave, isNoNumber(10)),
              HasSubstr("wwwwwwwwww behind step 3, and nothing is saved"))
      << "it is an answer, and ends the run";
  EXPECT_THAT(with(Order::kSave, isNoNumber(1 << 17)), HasSubstr("a variable that is no number"));
  EXPECT_THAT(with(Order::kSave, isNoNumber(10), 2),
              HasSubstr("a variable that is no number and has none"));
  EXPECT_THAT(with(Order::kSave, [](Done &done) { done.set_not_finite("w"); }),
              HasSubstr("or has written a shard"));
}

TEST_F(Answers, StatisticsAreAnObjectOfAModestSizeAndDepth) {
  options.statsFile = folder + ".json";
  std::string deep(100000, '[');
  for (const std::string &text :
       {std::string(), std::string("[]"), std::string("{"), deep + std::string(100000, ']'),
        "{\"a\": " + deep + std::string(100000, ']') + "}",
        "{\"a\": \"" + std::string(2 << 20, 'x') + "\"}"})
    EXPECT_THAT(with(Order::kEnd, [&](Done &done) { done.set_stats(text); }),
                HasSubstr("/job:ps/task:1: its answer to"))
        << text.substr(0, 10);
}

TEST_F(Answers, ResultsAreThoseThatWereAskedForEachOnce) {
  options.fetches = {"loss0"};
  service::Fetched good;
  good.set_value("1234");
  for (const plan::Program &program : loaded.plan.programs()) {
    if (program.spread())
      break;
    good.set_program(good.program() + 1);
  }
  auto send = [&](std::function<void(service::Fetched &)> change, uint32_t from = 2) {
    return with(
        Order::kRun,
        [=, this](Done &) {
          service::Fetched value = good;
          change(value);
          coordinator->fetched({from, 100 + from}, value);
        },
        2);
  };
  EXPECT_EQ(send([](auto &) {}), "");
  EXPECT_EQ(send([](auto &value) { value.set_step(2); }), "")
      << "of backup workers some steps are left out";
  EXPECT_THAT(send([](auto &value) { value.set_program(99); }),
              HasSubstr("a result of program 99, the plan has 3"));
  EXPECT_THAT(send([](auto &value) { value.set_instance(9); }),
              HasSubstr("which does not run there"));
  EXPECT_THAT(send([](auto &value) { value.set_instance(1); }),
              HasSubstr("which does not run there"));
  EXPECT_THAT(send([](auto &) {}, 3),
              AllOf(HasSubstr("/job:worker/task:1"), HasSubstr("does not run there")));
  EXPECT_THAT(send([](auto &value) { value.set_fetch(99); }), HasSubstr("result 99 of"));
  EXPECT_THAT(send([](auto &value) { value.set_fetch(1); }),
              HasSubstr("for which nobody has asked"));
  EXPECT_THAT(send([](auto &value) { value.set_value("12345"); }),
              HasSubstr("loss0 of 5 bytes, expected 4"));
  EXPECT_THAT(send([](auto &value) { value.set_step(3); }),
              HasSubstr("loss0 of step 4, expected step 1 or a later"));
  EXPECT_THAT(send([](auto &value) { value.set_step(UINT64_MAX); }), HasSubstr("loss0 of step"));
  EXPECT_THAT(send([&](auto &) { coordinator->fetched({2, 100 + 2}, good); }),
              HasSubstr("loss0 of step 1, expected step 2"));
  EXPECT_THAT(with(
                  Order::kBegin, [&](Done &) { coordinator->fetched({2, 100 + 2}, good); }, 2),
              HasSubstr("a result comes while none is computed"));
  options.fetches.clear();
  EXPECT_THAT(send([](auto &) {}), HasSubstr("for which nobody has asked"));
}

TEST_F(Answers, ReportsHaveEveryResultOfAStepOnce) {
  options.reports.everySteps = 1;
  service::Fetched good;
  while (!loaded.plan.programs(static_cast<int>(good.program())).spread())
    good.set_program(good.program() + 1);
  for (int i = 0; i < loaded.plan.programs(static_cast<int>(good.program())).fetches_size(); ++i)
    good.mutable_report()->add_values("1234");
  auto send = [&](std::function<void(service::Fetched &)> change) {
    return with(
        Order::kRun,
        [=, this](Done &) {
          service::Fetched value = good;
          change(value);
          coordinator->fetched({2, 100 + 2}, value);
        },
        2);
  };
  EXPECT_EQ(send([](auto &) {}), "");
  EXPECT_EQ(begins.at(0).reports().every_steps(), 1u);
  EXPECT_THAT(send([](auto &value) { value.mutable_report()->clear_values(); }),
              HasSubstr("a report of 0 results"));
  EXPECT_THAT(send([](auto &value) { value.mutable_report()->set_values(0, "12345"); }),
              HasSubstr("a report has loss0 of 5 bytes, expected 4"));
  EXPECT_THAT(send([](auto &value) { value.mutable_report()->add_metrics(); }),
              HasSubstr("and 1 metrics"));
  EXPECT_THAT(send([](auto &value) { value.set_value("1234"); }),
              HasSubstr("for which nobody has asked"));
  EXPECT_THAT(send([](auto &value) { value.set_step(3); }),
              HasSubstr("a report of step 4, expected step 1"));
  EXPECT_THAT(send([&](auto &) { coordinator->fetched({2, 100 + 2}, good); }),
              HasSubstr("a report of step 1, expected step 2"));
  options.reports.everySteps.reset();
  EXPECT_THAT(send([](auto &) {}), HasSubstr("a report, for which nobody has asked"));
}

// As many as steps, of each worker that takes them: by these the chief knows whose samples were
// taken.
TEST_F(Answers, TicketsAreOfEachLaneThatTakesThem) {
  loaded.plan = plan::parameterServerPlan({1, 2, 16, true});
  EXPECT_EQ(run(), "");
  const auto gives = [this](std::vector<uint64_t> tickets) {
    return with(
        Order::kRun,
        [=](Done &done) { done.mutable_tickets()->Assign(tickets.begin(), tickets.end()); }, 0);
  };
  EXPECT_EQ(gives({0, 3}), "");
  for (const std::vector<uint64_t> &wrong :
       {std::vector<uint64_t>{}, {3}, {1, 1}, {2, 2}, {1, 1, 1}, {UINT64_MAX, 4}})
    EXPECT_THAT(gives(wrong), HasSubstr("or not as many as steps, 3")) << wrong.size();
}

// Two workers of an asynchronous run count epochs of their own; what each did last counts, however
// far ahead one is.
TEST_F(Answers, AsynchronousResultsAreOfAllWorkers) {
  loaded.plan = plan::parameterServerPlan({1, 2, 16, true});
  options.statsFile = folder + ".json";
  twist = [](uint32_t task, const Order &order, Done &done) {
    if (!order.has_run() || task == 0)
      return;
    service::EpochSum &loss = *done.add_losses();
    loss.set_epoch(task == 1 ? 7 : 0);
    loss.set_loss(task == 1 ? 1 : 9);
    loss.set_count(task == 1 ? 1 : 4);
  };
  EXPECT_EQ(run(), "");
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(shown.back().loss, 2.0) << "and not 1, of the one that was ahead";
}

// A worker that is back makes steps again of which results have come: those count once, of it
// alone.
TEST_F(Answers, ResultsOfStepsThatAreMadeAgainAreRepeated) {
  loaded.plan = plan::parameterServerPlan({1, 2, 16, true});
  AnswerValidator rules(loaded.plan, {});
  Order order;
  service::Fetched value;
  value.set_value("1234");
  while (!loaded.plan.programs(static_cast<int>(value.program())).spread())
    value.set_program(value.program() + 1);
  const plan::Program &program = loaded.plan.programs(static_cast<int>(value.program()));
  ASSERT_GT(program.fetches_size(), 0);
  order.mutable_prepare()->add_fetches(program.fetches(0).name());
  rules.ordered(order);
  order.mutable_begin()->set_steps(100);
  order.mutable_begin()->set_phase(program.phase());
  rules.ordered(order);
  order.mutable_run();
  rules.ordered(order);
  for (uint64_t step : {0, 1, 4}) {
    value.set_step(step);
    EXPECT_FALSE(rules.isRepeated(1, value));
    EXPECT_EQ(rules.check(1, value), absl::OkStatus());
  }
  EXPECT_FALSE(rules.isRepeated(1, value)) << "nobody has come back: twice is wrong";
  EXPECT_FALSE(rules.check(1, value).ok());
  rules.rejoins(1);
  EXPECT_TRUE(rules.isRepeated(1, value));
  EXPECT_FALSE(rules.isRepeated(2, value)) << "of another task";
  value.set_step(5);
  EXPECT_FALSE(rules.isRepeated(1, value)) << "that one is new";
  EXPECT_EQ(rules.check(1, value), absl::OkStatus());
}

TEST_F(Answers, HellosAreShortAndPrintable) {
  EXPECT_EQ(run(), "");
  service::TaskCoordinator::Options options;
  options.fingerprint = std::string(64, 'a');
  options.taskNames = {"/job:ps/task:0"};
  service::TaskCoordinator fresh(options);
  const std::pair<std::function<void(service::Hello &)>, const char *> cases[] = {
      {[](auto &hello) { hello.set_task(UINT32_MAX); }, "is no task of this plan"},
      {[](auto &hello) { hello.set_host(std::string(1 << 20, 'x')); },
       "the host's name has 1048576 bytes"},
      {[](auto &hello) { hello.set_host("\33]0;evil\7"); },
       "the host's name has control characters"},
      {[](auto &hello) { hello.set_version("\n"); }, "the version has control characters"},
      {[](auto &hello) { hello.set_name("/job:ps/task:0\n"); },
       "the task's name has control characters"},
      {[](auto &hello) { hello.set_fingerprint(std::string(999, 'f')); },
       "the plan's fingerprint has 999 bytes"},
      {[](auto &hello) { hello.set_address("dns://8.8.8.8/x:1"); }, "malformed address"},
      {[](auto &hello) { hello.set_address("unix:relative"); }, "malformed address"}};
  for (auto &[change, why] : cases) {
    service::Hello hello = honestHello(loaded, 0);
    change(hello);
    EXPECT_THAT(std::string(fresh.join(hello, nullptr).message()), HasSubstr(why));
  }
}

TEST_F(Answers, ASuspectIsATask) {
  loaded.plan = plan::parameterServerPlan({1, 2});
  twist = [&](uint32_t task, const Order &order, Done &done) {
    if (task != 1 || !order.has_connect())
      return;
    done.mutable_error()->set_secondary(true);
    done.mutable_error()->set_suspect("the neighbour's cat");
    done.mutable_error()->set_message("gone");
    absl::Time now = absl::Now();
    coordinator->heartbeat(now, 0); // the order waits for the end of the grace
    coordinator->failed({1, 100 + 1}, done.error());
    for (int i = 0; i < 8; ++i)
      coordinator->heartbeat(now + absl::Milliseconds(500) * i, 0);
  };
  run();
  ASSERT_TRUE(coordinator->rootCause());
  EXPECT_EQ(coordinator->rootCause()->task, "/job:worker/task:0");
}

struct CheckAnswers : testing::Test {
  std::string check(const service::CheckOrder &order, const service::CheckReport &report,
                    uint32_t task = 0) {
    return std::string(checkAnswer(plan, task, order, report).message());
  }
  plan::Plan plan = plan::lonePlan();
};

TEST_F(CheckAnswers, AreAboutWhatWasAsked) {
  service::CheckOrder look, measure;
  look.mutable_look();
  measure.mutable_measure()->set_peer(1);
  service::CheckReport data, link;
  data.add_data()->set_samples(10);
  EXPECT_EQ(check(look, data), "");
  EXPECT_THAT(check(measure, data), HasSubstr("data set 0, which was not asked"));
  data.add_data();
  EXPECT_THAT(check(look, data), HasSubstr("or twice"));
  data.mutable_data(0)->set_dataset(UINT32_MAX);
  EXPECT_THAT(check(look, data), HasSubstr("data set 4294967295"));
  link.add_links()->set_peer(1);
  EXPECT_EQ(check(measure, link), "");
  EXPECT_THAT(check(look, link), HasSubstr("a link with task 1, which was not asked"));
  for (double figure : {-1.0, 1.0 / 0.0, 0.0 / 0.0}) {
    link.mutable_links(0)->set_latency_us(figure);
    EXPECT_THAT(check(measure, link), HasSubstr("found what cannot be"));
  }
}

TEST_F(Answers, ATraceIsOfALaneThatRunsThere) {
  std::function<void(service::Traced &)> change = [](auto &) {};
  options.traceFile = testing::TempDir() + "/answers.pftrace";
  const executor::TraceRecord record{};
  twist = [&](uint32_t task, const Order &order, Done &) {
    service::Traced trace;
    for (uint32_t i : loaded.plan.phases(static_cast<int>(begun.phase())).programs())
      for (uint32_t r = 0; r < loaded.plan.programs(static_cast<int>(i)).instances(); ++r)
        if (plan::taskNumber(loaded.plan, plan::instanceTask(
                                              loaded.plan, loaded.plan.programs(int(i)), r)) == 1) {
          trace.set_program(i);
          trace.set_instance(r);
        }
    trace.set_records(&record, sizeof record);
    change(trace);
    for (int times = 0; order.has_run() && task == 1 && times < (trace.records().empty() ? 2 : 1);
         ++times)
      coordinator->traced({task, 100 + task}, trace);
  };
  EXPECT_EQ(run(), "");
  for (const auto &[made, why] :
       std::initializer_list<std::pair<std::function<void(service::Traced &)>, const char *>>{
           {[](auto &trace) { trace.set_program(1000); }, "a trace of program 1000, the plan has "},
           {[](auto &trace) { trace.set_instance(1000); }, "[1000], which does not run there"},
           {[](auto &trace) { trace.mutable_records()->pop_back(); },
            "39 bytes, which are no whole records"},
           {[](auto &trace) { trace.clear_records(); }, "an empty trace of "},
           {[](auto &trace) { trace.mutable_records()->resize((64 << 20) + 40); },
            "longer than a task's may be"}}) {
    change = made;
    EXPECT_THAT(run(), HasSubstr(why));
  }
  options.traceFile.clear(); // whatever it says
  EXPECT_THAT(run(), HasSubstr("a trace comes while none is made"));
}

} // namespace
} // namespace graphc::session
