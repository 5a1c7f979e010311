// Sessions of a launcher, simulated: tasks that die, hang, leave and go on at any moment, what they
// say and hear as late as may be. The words go through the real socket, one thread does everything
// in an order that a seed draws.
#include "runtime/launch/SessionTable.h"
#include "runtime/launch/LaunchContext.h"
#include "runtime/launch/LauncherMessages.h"

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace graphc::launch {
namespace {

/// A process: what it does next is drawn.
struct SimProcess {
  explicit SimProcess(base::UniqueFd socket, uint64_t session, int life)
      : words(std::move(socket)), session(session), life(life) {}
  LauncherMessages words;
  uint64_t session;
  const int life; ///< no two have the same
  bool waits = false, stopped = false;
};

struct SimTask {
  std::unique_ptr<SimProcess> process; ///< null: none lives
  base::UniqueFd words; ///< the launcher's end
  std::deque<uint64_t> reports; ///< "left", under way to the launcher
  bool deathKnown = true; ///< to the launcher
};

/// What a process of some session has sent, and that arrives when it likes.
struct Message {
  size_t task;
  uint64_t session;
  int life;
};

class Simulation {
public:
  Simulation(size_t tasks, uint32_t seed) : random_(seed), sessions_(tasks), tasks_(tasks) {}

  /// So many random events with faults, then none: all have to be in one session at the end.
  void run(int events) {
    begin();
    for (int i = 0; i < events && !testing::Test::HasFailure(); ++i)
      step(/*faults=*/true);
    for (int i = 0; i < 100000 && !together(); ++i)
      step(/*faults=*/false);
    EXPECT_TRUE(together()) << "it comes to no session that all are in";
    EXPECT_GT(accepted_, 0u);
  }
  size_t refused() const { return refused_; }

private:
  size_t draw(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random_); }

  void begin() {
    ASSERT_TRUE(sessions_.isOver());
    for (SimTask &task : tasks_)
      ASSERT_TRUE(!task.process || task.process->waits)
          << "a session begins while a process is in an earlier one";
    const std::vector<size_t> started = sessions_.begin();
    lossKnown_ = false;
    for (size_t i = 0; i < tasks_.size(); ++i) {
      SimTask &task = tasks_[i];
      if (std::find(started.begin(), started.end(), i) == started.end()) {
        say(task,
            encode(NextSession{sessions_.number(), absl::StrCat("run-", sessions_.number())}));
        continue;
      }
      ASSERT_FALSE(task.process && task.deathKnown) << "two processes of one task";
      int ends[2];
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
      task = SimTask();
      task.words = base::UniqueFd(ends[0]);
      task.process =
          std::make_unique<SimProcess>(base::UniqueFd(ends[1]), sessions_.number(), ++lives_);
    }
  }
  static void say(SimTask &task, const std::string &word) {
    (void)send(task.words.get(), word.data(), word.size(), MSG_NOSIGNAL);
  }
  /// Of a process; the launcher hears of it later.
  void die(SimTask &task) {
    task.process.reset();
    task.deathKnown = false;
  }

  void step(bool faults) {
    const size_t i = draw(tasks_.size());
    SimTask &task = tasks_[i];
    switch (draw(8)) {
    case 0: // a fault
      if (faults && task.process && draw(4) == 0)
        die(task);
      else if (faults && task.process && draw(4) == 0)
        task.process->stopped = true;
      break;
    case 1: // the launcher hears of a death
      if (!task.process && !task.deathKnown) {
        task.deathKnown = true;
        sessions_.ended(i);
        lossKnown_ = true;
      }
      break;
    case 2: // it hears what a task says
      if (!task.reports.empty()) {
        sessions_.left(i, task.reports.front());
        task.reports.pop_front();
      }
      break;
    case 3: // it says that the session is over; to whoever is in it, also twice
      if (lossKnown_ && sessions_.isIn(i) && task.process)
        say(task,
            encode(SessionLost{sessions_.number(), "/job:ps/task:0", "was killed by signal 9"}));
      break;
    case 4: // its patience is over: who is still in is ended
      if (lossKnown_ && sessions_.isIn(i) && task.process &&
          (task.process->stopped || draw(8) == 0))
        die(task);
      break;
    case 5: // nobody is in: the next
      if (lossKnown_ && sessions_.isOver())
        begin();
      break;
    case 6:
      // a process sends something, hears that its session is over, or that the next one begins
      if (task.process && !task.process->stopped)
        act(i, task, faults);
      break;
    case 7: // a message arrives at who acts as the chief: its first task
      if (!messages_.empty())
        arrive(draw(messages_.size()));
      break;
    }
    // A stopped process that nobody has lost yet is found by its silence.
    if (!lossKnown_ && draw(50) == 0)
      for (SimTask &one : tasks_)
        lossKnown_ |= one.process && one.process->stopped;
  }

  void act(size_t i, SimTask &task, bool faults) {
    SimProcess &process = *task.process;
    if (process.waits) {
      if (std::optional<NextSession> next =
              process.words.next(process.session, absl::InfinitePast())) {
        EXPECT_GT(next->session, process.session);
        EXPECT_EQ(next->session, sessions_.number());
        EXPECT_EQ(next->run, absl::StrCat("run-", next->session));
        process.session = next->session;
        process.waits = false;
      }
      return;
    }
    messages_.push_back({i, process.session, process.life});
    // By the launcher's word, or by its own eyes, of a loss that the launcher may not know of yet.
    const bool lost = process.words.lost(process.session).has_value();
    const bool seen = faults && anyLost() && draw(4) == 0;
    if (!lost && !seen)
      return;
    if (seen)
      lossKnown_ = true; // by the error that it reports before it leaves
    process.waits = true;
    task.reports.push_back(process.session);
  }
  bool anyLost() const {
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [](const SimTask &task) { return !task.process; });
  }

  /// As TaskCoordinator::join and the names of runs have it: another session's is refused.
  void arrive(size_t at) {
    const Message message = messages_[at];
    messages_.erase(messages_.begin() + static_cast<ptrdiff_t>(at));
    const SimProcess *chief = tasks_[0].process.get();
    if (!chief || chief->waits)
      return;
    if (message.session != chief->session) {
      ++refused_;
      return;
    }
    // Who is accepted is the one process that is that task in the chief's session, or was, until it
    // died in it: nobody has its place.
    ++accepted_;
    int &life = members_[{message.session, message.task}];
    EXPECT_TRUE(life == 0 || life == message.life)
        << "two processes of one task in session " << message.session;
    life = message.life;
  }

  bool together() const {
    return std::all_of(tasks_.begin(), tasks_.end(), [this](const SimTask &task) {
      return task.process && !task.process->waits && !task.process->stopped &&
             task.process->session == sessions_.number();
    });
  }

  std::mt19937 random_;
  SessionTable sessions_;
  std::vector<SimTask> tasks_;
  std::vector<Message> messages_;
  /// by session and task: the life that was accepted
  std::map<std::pair<uint64_t, size_t>, int> members_;
  bool lossKnown_ = false; ///< to the launcher
  int lives_ = 0;
  size_t accepted_ = 0, refused_ = 0;
};

TEST(SessionTable, NoProcessIsOfTwoAndNoTaskHasTwo) {
  size_t refused = 0;
  for (uint32_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Simulation simulation(2 + seed % 4, seed);
    simulation.run(3000);
    refused += simulation.refused();
  }
  EXPECT_GT(refused, 100u) << "no late message was there to be refused";
}

TEST(SessionTable, WhatIsSaidOfAnEarlierOneCountsForNothing) {
  SessionTable sessions(2);
  EXPECT_TRUE(sessions.isOver());
  EXPECT_EQ(sessions.begin(), (std::vector<size_t>{0, 1}));
  sessions.ended(1);
  sessions.left(0, 1);
  EXPECT_TRUE(sessions.isOver());
  EXPECT_TRUE(sessions.waits(0));
  EXPECT_EQ(sessions.begin(), std::vector<size_t>{1});
  sessions.left(0, 1); // once more, late
  sessions.left(0, 3);
  EXPECT_TRUE(sessions.isIn(0));
  sessions.left(0, 2);
  sessions.ended(0); // while it waits
  sessions.ended(1);
  EXPECT_EQ(sessions.begin(), (std::vector<size_t>{0, 1}));
}

struct Words : testing::Test {
  Words() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    launcher = base::UniqueFd(ends[0]);
    task = std::make_unique<LauncherMessages>(base::UniqueFd(ends[1]));
  }
  void say(const std::string &text) {
    EXPECT_EQ(send(launcher.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  base::UniqueFd launcher;
  std::unique_ptr<LauncherMessages> task;
};

TEST_F(Words, InPiecesAndSeveralAtOnce) {
  EXPECT_FALSE(task->lost(2));
  const std::string all = encode(SessionLost{1, "/job:ps/task:0", "old"}) +
                          encode(SessionLost{2, "/job:ps/task:1", "n\xffw"}) +
                          encode(NextSession{3, "run3"});
  for (char one : all)
    say(std::string(1, one));
  std::optional<SessionLost> lost = task->lost(2);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->task, "/job:ps/task:1");
  EXPECT_EQ(lost->why, "n\xef\xbf\xbdw");
  std::optional<NextSession> next = task->next(2, absl::Now() + absl::Seconds(60));
  ASSERT_TRUE(next);
  EXPECT_EQ(next->session, 3u);
  EXPECT_EQ(next->run, "run3");
}

TEST_F(Words, WhatIsNoneIsPassedOver) {
  say("\n[]\n{}\n{\"session\": -1, \"run\": \"a\"}\n{\"session\": 5}\n{\"session\": 2, \"run\": \"earlier\"}\n" +
      encode(SessionLost{4, "t", "w"}) + encode(NextSession{4, "run4"}));
  EXPECT_EQ(task->next(3, absl::Now() + absl::Seconds(60))->run, "run4");
}

TEST_F(Words, TheLauncherGoesOrSaysNothing) {
  EXPECT_FALSE(task->next(1, absl::Now() + absl::Milliseconds(20)));
  say("{\"session\": 2, \"run\": \"cut sho");
  launcher.reset();
  EXPECT_FALSE(task->next(1, absl::Now() + absl::Hours(1)));
  EXPECT_FALSE(task->lost(1));
}

} // namespace
} // namespace graphc::launch
