// graphrun check without processes: what the report says, and how the chief's service treats tasks
// of another version, ones that are no task, ones that come twice or do not answer.
// test/run/test_check.py has the same in real processes.
#include "runtime/common/base/Socket.h"
#include "runtime/common/base/Version.h"
#include "runtime/service/CheckService.h"
#include "runtime/service/RunSecret.h"
#include "runtime/service/TaskServer.h"
#include "tools/graphrun/check/CheckDriver.h"

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <thread>

namespace graphc::graphrun {
namespace {
using service::CheckOrder;
using testing::HasSubstr;

cluster::LinkConfig said(double gigabits, double microseconds) {
  cluster::LinkConfig link;
  link.gigabitsPerSecond = gigabits;
  link.latencyMicroseconds = microseconds;
  return link;
}

TEST(CheckReport, LinksThatAreFarFromWhatIsSaid) {
  bool far = true;
  cluster::LinkConfig near = said(10, 50), fast = said(100, 50), slow = said(1, 50),
                      late = said(10, 500);
  EXPECT_EQ(linkText("a -> b", {60, 9, 8}, nullptr, &far),
            "a -> b: 60 µs one way, 9 Gbit/s there, 8 Gbit/s back");
  EXPECT_FALSE(far);
  EXPECT_THAT(linkText("a -> b", {60, 9, 8}, &near, &far),
              HasSubstr("links says 50 µs, 10 Gbit/s"));
  EXPECT_FALSE(far);
  EXPECT_THAT(linkText("a -> b", {60, 20, 8}, &fast, &far),
              HasSubstr("12 times less bandwidth than said"));
  EXPECT_TRUE(far);
  EXPECT_THAT(linkText("a -> b", {60, 20, 8}, &slow, &far),
              HasSubstr("8 times more bandwidth than said"));
  EXPECT_THAT(linkText("a -> b", {60, 9, 8}, &late, &far),
              HasSubstr("440 µs less latency than said"));
  EXPECT_THAT(linkText("a -> b", {200, 9, 8}, &near, &far),
              HasSubstr("150 µs more latency than said"));
  EXPECT_TRUE(far);
}

TEST(CheckReport, DataSetsThatDiffer) {
  auto reportOf = [](uint64_t samples, uint32_t crc) {
    service::CheckReport report;
    service::CheckedData &data = *report.add_data();
    data.set_samples(samples);
    data.set_crc(crc);
    data.set_source("data set train: from x");
    return std::optional(report);
  };
  std::vector<std::string> names = {"A", "B", "C"};
  CheckReport same, contents, counts;
  compareData(names, {"train"}, {reportOf(5, 1), std::nullopt, reportOf(5, 1)}, &same);
  EXPECT_EQ(same.wrongs(), 0u);
  EXPECT_THAT(same.text(), HasSubstr("ok     data set train: 5 samples, the same on A, C"));
  compareData(names, {"train"}, {reportOf(5, 1), reportOf(5, 2), reportOf(5, 1)}, &contents);
  EXPECT_EQ(contents.wrongs(), 1u);
  EXPECT_THAT(contents.text(),
              HasSubstr("differs: from x on A, from x on B: as many samples, other contents"));
  compareData(names, {"train"}, {reportOf(5, 1), reportOf(4, 1), reportOf(6, 1)}, &counts);
  EXPECT_EQ(counts.wrongs(), 2u);
}

/// The chief's end on a real server, and what a task sends.
struct Chief : testing::Test {
  Chief() {
    server = *service::TaskServer::start({address, std::move(socket.listener), known}, {&check});
  }
  ~Chief() override {
    check.close();
    server->shutdown();
  }
  service::CheckReport report(uint32_t task, const std::string &version) {
    service::CheckReport report;
    service::Hello &self = *report.mutable_self();
    self.set_task(task);
    self.set_name("/job:worker/task:" + std::to_string(task));
    self.set_version(version);
    self.set_fingerprint(std::string(64, 'f'));
    self.set_incarnation(service::randomIncarnation());
    self.set_host("node");
    self.set_host_id("node");
    self.set_address(address);
    return report;
  }
  absl::StatusOr<CheckOrder> next(const service::CheckReport &report) {
    auto stub =
        service::Check::NewStub(*service::TaskDialer(address, known).start(absl::Seconds(10)));
    return service::nextCheckOrder(*stub, report);
  }
  /// A task that answers every order until the end.
  std::thread obedient(service::CheckReport report) {
    return std::thread([this, report]() mutable {
      auto order = next(report);
      for (; order.ok() && !order->has_end(); order = next(report))
        report.set_id(order->id());
      EXPECT_TRUE(order.ok()) << report.self().name() << " after order " << report.id() << ": "
                              << order.status();
    });
  }
  const service::TaskIdentity known{"secret", nullptr};
  base::UnnamedListener socket = *base::UnnamedListener::make(SOCK_STREAM);
  const std::string address = socket.inheritedAddress();
  service::CheckService check{{"/job:worker/task:0", "/job:worker/task:1"}};
  std::unique_ptr<service::TaskServer> server;
};

TEST_F(Chief, AnotherVersionIsNamedAndTheOthersAreChecked) {
  plan::LoadedPlan plan;
  plan::Job &job = *plan.plan.add_jobs();
  job.set_name("worker");
  job.set_tasks(2);
  plan.fingerprint = std::string(64, 'f');
  RunFlags flags;
  flags.timeoutSeconds = 10;
  TaskSetup setup;
  setup.addresses = {address, address};
  std::thread own = obedient(report(0, base::version())), other = obedient(report(1, "0.0.9"));
  CheckChief chief(flags, plan, setup, check);
  chief.run(nullptr);
  own.join();
  other.join();
  EXPECT_THAT(chief.report().text(), HasSubstr("ok     /job:worker/task:0 process"));
  EXPECT_THAT(chief.report().text(),
              HasSubstr(absl::StrCat("runs graphrun 0.0.9, the chief ", base::version())));
  EXPECT_EQ(chief.report().wrongs(), 1u) << chief.report().text();
}

TEST_F(Chief, StrangersAndSecondsAreSentAwayWithTheReason) {
  EXPECT_THAT(std::string(next(report(7, "1")).status().message()),
              HasSubstr("is no task of the chief's plan"));
  std::thread first = obedient(report(1, "1"));
  while (!check.waitForTasks(absl::Now() + absl::Milliseconds(10))[1])
    ;
  EXPECT_THAT(std::string(next(report(1, "1")).status().message()),
              HasSubstr("a second process says it is"));
  EXPECT_EQ(check.refused().size(), 2u);
  CheckOrder end;
  end.mutable_end();
  check.giveOrder(1, end);
  first.join();
}

TEST_F(Chief, WaitsEnd) {
  absl::Time before = absl::Now();
  EXPECT_FALSE(check.waitForTasks(absl::Now() + absl::Milliseconds(200))[0]);
  CheckOrder look;
  look.mutable_look();
  check.giveOrder(0, look);
  EXPECT_FALSE(check.collect(0, absl::Now() + absl::Milliseconds(200)));
  EXPECT_LT(absl::Now() - before, absl::Seconds(20));
}
} // namespace
} // namespace graphc::graphrun
