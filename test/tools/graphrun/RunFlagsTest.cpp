#include "tools/graphrun/RunFlags.h"
#include "runtime/launch/LaunchContext.h"

#include "runtime/common/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace graphc::graphrun {
namespace {
using testing::HasSubstr;

absl::StatusOr<RunFlags> parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "graphrun");
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  auto parsed = parseFlags(static_cast<int>(pointers.size()), pointers.data());
  if (!parsed.ok())
    return parsed.status();
  return parsed->flags;
}
std::string errorOf(std::vector<std::string> arguments) {
  return std::string(parse(std::move(arguments)).status().message());
}

TEST(RunFlags, Defaults) {
  auto flags = parse({"m.plan"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->plan, "m.plan");
  EXPECT_EQ(flags->entry, "train");
  EXPECT_EQ(flags->transport, "auto");
  EXPECT_FALSE(flags->epochs || flags->steps || flags->taskIndex || flags->intraOpThreads);
}

TEST(RunFlags, DashAndUnderscoreAreAlike) {
  for (const char *spelling : {"--data_dir", "--data-dir"}) {
    auto flags = parse({spelling, "/some-dir_x", "m-1_2.plan"});
    ASSERT_TRUE(flags.ok()) << flags.status();
    EXPECT_EQ(flags->dataDirectory, "/some-dir_x") << "only names are changed";
    EXPECT_EQ(flags->plan, "m-1_2.plan");
  }
  EXPECT_EQ(parse({"m", "--checkpoint-dir=a-b"})->checkpointDirectory, "a-b");
}

TEST(RunFlags, HostsOfAnyJob) {
  auto flags = parse({"m", "--ps_hosts", "localhost:1", "--worker-hosts=localhost:2,localhost:3",
                      "--evaluator_hosts", "localhost:4"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(flags->hosts.at("worker"), testing::ElementsAre("localhost:2", "localhost:3"));
  EXPECT_THAT(flags->hosts.at("evaluator"), testing::ElementsAre("localhost:4"));
  EXPECT_THAT(errorOf({"m", "--ps_hosts"}), HasSubstr("--ps_hosts needs addresses"));
  EXPECT_THAT(errorOf({"m", "--ps_hosts", "localhost"}), HasSubstr("--ps_hosts"));
}

TEST(RunFlags, RepeatedOnes) {
  auto flags =
      parse({"m", "--fetch", "a", "--fetch", "b", "--feed", "x=f.npy", "--feed=y=g=h.npy"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(flags->fetches, testing::ElementsAre("a", "b"));
  EXPECT_EQ(flags->feeds.at("x"), "f.npy");
  EXPECT_EQ(flags->feeds.at("y"), "g=h.npy");
  EXPECT_EQ(parse({"--fetch", "a", "m"})->plan, "m") << "a flag does not swallow the plan";
}

TEST(RunFlags, HyphensAndUnderscoresAreAlike) {
  auto flags = parse({"m", "--no-eval", "--export-dir=e-f", "--checkpoint-dir", "a-b"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_TRUE(flags->noEval);
  EXPECT_EQ(flags->exportDirectory, "e-f");
  EXPECT_EQ(flags->checkpointDirectory, "a-b");
  EXPECT_TRUE(parse({"m", "--no_eval"})->noEval);
  EXPECT_FALSE(parse({"m"})->noEval);
}

TEST(RunFlags, EachMistakeIsNamed) {
  EXPECT_THAT(errorOf({}), HasSubstr("which plan?"));
  EXPECT_THAT(errorOf({"m", "n"}), HasSubstr("'n' is too many"));
  EXPECT_THAT(errorOf({"m", "--stepz", "3"}),
              HasSubstr("unknown flag --stepz; did you mean \"--steps\"?"));
  EXPECT_THAT(errorOf({"m", "--steps", "x"}), HasSubstr("--steps"));
  EXPECT_THAT(errorOf({"m", "--steps", "-1"}), HasSubstr("--steps"));
  EXPECT_THAT(errorOf({"m", "--steps", "1", "--epochs", "1"}), HasSubstr("give one of them"));
  EXPECT_THAT(errorOf({"m", "--epochs", "-1"}), HasSubstr("0 or more"));
  EXPECT_THAT(errorOf({"m", "--epochs", "nan"}), HasSubstr("0 or more"));
  EXPECT_THAT(errorOf({"m", "--entry", "test"}), HasSubstr("--entry"));
  EXPECT_THAT(errorOf({"m", "--transport", "tcp"}), HasSubstr("--transport"));
  EXPECT_THAT(errorOf({"m", "--task_index", "1"}), HasSubstr("needs --job_name"));
  EXPECT_THAT(errorOf({"m", "--feed", "x"}), HasSubstr("expected NAME=FILE.npy"));
  EXPECT_THAT(errorOf({"m", "--feed", "=x"}), HasSubstr("expected NAME=FILE.npy"));
  EXPECT_THAT(errorOf({"m", "--intra_op_threads", "0"}), HasSubstr("--intra_op_threads"));
  EXPECT_THAT(errorOf({"m", "--local", "--job_name", "ps"}), HasSubstr("--local"));
  EXPECT_THAT(errorOf({"m", "--save_checkpoint_steps", "5"}), HasSubstr("needs --checkpoint_dir"));
  EXPECT_THAT(
      errorOf({"m", "--checkpoint_every_steps", "5"}),
      HasSubstr("unknown flag --checkpoint_every_steps; did you mean --save_checkpoint_steps?"));
  EXPECT_THAT(errorOf({"m", "--checkpoint-every-seconds=5"}),
              HasSubstr("did you mean --save_checkpoint_secs?"));
  EXPECT_THAT(errorOf({"m", "--keep_checkpoint_max", "-1"}),
              HasSubstr("--keep_checkpoint_max: must be a whole number"));
  EXPECT_THAT(errorOf({"m", "--log_step_count_steps", "0"}),
              HasSubstr("--log_step_count_steps: must be a number above"));
  EXPECT_THAT(errorOf({"m", "--log_step_count_steps", "0.5"}), HasSubstr("--log_step_count_steps"));
  EXPECT_THAT(errorOf({"m", "--nan", "ignore"}), HasSubstr("--nan"));
  EXPECT_THAT(errorOf({"m", "--early_stop", "accuracy"}),
              HasSubstr("--early_stop accuracy: expected METRIC:PATIENCE"));
  EXPECT_THAT(errorOf({"m", "--early_stop", "accuracy:2"}),
              HasSubstr("also give --eval_every_epochs N"));
  EXPECT_THAT(errorOf({"m", "--no_eval", "--eval_every_epochs", "1"}),
              HasSubstr("--no_eval and --eval_every_epochs contradict each other"));
  EXPECT_THAT(errorOf({"m", "--no_eval", "--entry", "eval"}),
              HasSubstr("--no_eval is for --entry train, not eval"));
  EXPECT_THAT(errorOf({"m", "--no_eval", "--entry", "predict"}),
              HasSubstr("--no_eval is for --entry train, not predict"));
  EXPECT_THAT(errorOf({"m", "--export", "best"}),
              HasSubstr("--export best needs --export_dir DIR"));
  EXPECT_THAT(
      errorOf({"m", "--export", "best", "--export_dir", "e", "--eval_every_epochs", "1"}),
      HasSubstr("--export_dir needs --checkpoint_dir: what is exported is its best checkpoint"));
  EXPECT_THAT(errorOf({"m", "--export", "best", "--export_dir", "e", "--checkpoint_dir", "c"}),
              HasSubstr("also give --eval_every_epochs N"));
  for (const char *text : {"first", "best:", "best:loss:up", "best:loss:max:1", "last:loss"})
    EXPECT_THAT(errorOf({"m", "--export", text}),
                HasSubstr(std::string("--export ") + text + ": expected last, best"));
  EXPECT_THAT(errorOf({"m", "--entry", "eval", "--init_from", "f", "--checkpoint_dir", "c"}),
              HasSubstr("both give the variables of --entry eval"));
  EXPECT_THAT(errorOf({"m", "--stop_at_step", "1", "--epochs", "1"}),
              HasSubstr("give one of them"));
  EXPECT_THAT(errorOf({"m", "--entry", "eval", "--epochs", "1"}), HasSubstr("--entry train"));
  EXPECT_THAT(errorOf({"m", "--entry", "eval", "--steps", "0"}), HasSubstr("at least one step"));
  EXPECT_THAT(errorOf({"m", "--deadline", "nan"}),
              HasSubstr("--deadline: must be a number above 0"));
  EXPECT_THAT(errorOf({"m", "--wait_deadline", "-1"}),
              HasSubstr("--wait_deadline: must be a number above 0"));
  EXPECT_THAT(errorOf({"m", "--failure_dir", ""}), HasSubstr("--failure_dir: its value is empty"));
  EXPECT_THAT(errorOf({"m", "--steps", "281474976710656"}), HasSubstr("--steps"));
}

TEST(LaunchContext, RoundTripAndRefusals) {
  unsetenv(launch::kLaunchVariable);
  EXPECT_FALSE(launch::takeLaunchContext()->has_value());
  launch::LaunchContext context{
      "run", "secret", {"unix:/proc/self/fd/7", "unix:/proc/self/fd/8"}, dup(2), dup(2), {}, -1};
  context.session = 3;
  context.wordsFd = dup(2);
  auto fd = base::sealedMemfd("test", encode(context));
  ASSERT_TRUE(fd.ok());
  setenv(launch::kLaunchVariable, std::to_string(fd->release()).c_str(), 1);
  auto taken = launch::takeLaunchContext();
  ASSERT_TRUE(taken.ok() && *taken) << taken.status();
  EXPECT_EQ((*taken)->secret, "secret");
  EXPECT_EQ((*taken)->addresses.size(), 2u);
  EXPECT_EQ((*taken)->reportFd, context.reportFd);
  EXPECT_EQ((*taken)->session, 3u);
  EXPECT_EQ((*taken)->wordsFd, context.wordsFd);
  EXPECT_EQ(fcntl(context.wordsFd, F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(getenv(launch::kLaunchVariable), nullptr);
  close(context.reportFd);
  close(context.wordsFd);
  for (const char *wrong : {"x", "1", "9999"}) {
    setenv(launch::kLaunchVariable, wrong, 1);
    EXPECT_FALSE(launch::takeLaunchContext().ok()) << wrong;
  }
  unsetenv(launch::kLaunchVariable);
}

} // namespace
} // namespace graphc::graphrun
