// Good certificates pass; every change of one number, of an order or of a capacity is refused with
// the edge named.
#include "runtime/common/plan/LivenessCertificate.h"
#include "test/runtime/common/plan/PlanBuilder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphc::plan;
using testing::HasSubstr;

namespace {

std::string messageOf(const Plan &plan) {
  return std::string(checkCertificate(plan).status().message());
}

void number(Plan &plan, int program, std::initializer_list<uint32_t> ranks) {
  plan.mutable_programs(program)->clear_event_ranks();
  for (uint32_t rank : ranks)
    plan.mutable_programs(program)->add_event_ranks(rank);
}

/// ps0 sends w, aggregates g, takes the control message; the workers send the control message,
/// receive and release w, send g.
class Certificate : public testing::Test {
protected:
  void SetUp() override {
    plan = parameterServerPlan({});
    for (int i = 0; i < plan.programs_size(); ++i)
      (plan.programs(i).spread() ? worker : server) = i;
    number(plan, server, {1, 2, 6, 7});
    number(plan, worker, {1, 2, 3, 4, 5});
    ASSERT_TRUE(checkCertificate(plan).ok()) << messageOf(plan);
  }
  Program &at(int program) { return *plan.mutable_programs(program); }

  Plan plan;
  int server = 0, worker = 0;
};

TEST_F(Certificate, CountsWhatItChecked) {
  auto facts = checkCertificate(plan);
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->programs, 2u);
  EXPECT_EQ(facts->events, 9u);
  EXPECT_EQ(facts->edges, 3u + 4u + 3u); // the order of each, then w, g and the control message
}

TEST_F(Certificate, MissingIsRefused) {
  at(server).mutable_event_ranks()->RemoveLast();
  EXPECT_THAT(messageOf(plan), HasSubstr("has 4 events a step, but 3 numbers"));
  for (int program : {server, worker})
    at(program).clear_event_ranks();
  EXPECT_THAT(messageOf(plan), HasSubstr("has none, so nothing shows that its"));
}

TEST_F(Certificate, EveryChangedNumberThatBreaksAnEdgeIsNamed) {
  number(plan, server, {1, 2, 4, 7}); // the gradient, sent with 4
  EXPECT_THAT(messageOf(plan), HasSubstr("message edge: program " + at(worker).name() + " sends "));
  EXPECT_THAT(messageOf(plan),
              HasSubstr("has number 4; program " + at(server).name() + " receives "));
  EXPECT_THAT(messageOf(plan), HasSubstr("has 4, expected more"));
  number(plan, server, {1, 1, 6, 7});
  EXPECT_THAT(messageOf(plan), HasSubstr("order edge: program " + at(server).name() + " sends "));
  number(plan, server, {0, 2, 6, 7});
  EXPECT_THAT(messageOf(plan), HasSubstr("has number 0, expected at least 1"));
}

// An all-reduce has two events, like a message: its begin and its end.
TEST_F(Certificate, AnAllReduceIsASendAndAReceive) {
  Instruction start, done;
  start.mutable_all_reduce_start()->set_channel(1);
  done.mutable_all_reduce_done()->set_channel(1);
  Plan one = plan;
  Program &program = *one.mutable_programs(server);
  one.mutable_channels(1)->set_sender(uint32_t(server));
  for (Program *each : {&program, one.mutable_programs(worker)})
    each->clear_instructions(), each->clear_event_ranks();
  *program.add_instructions() = start;
  *program.add_instructions() = done;
  number(one, server, {1, 2});
  EXPECT_TRUE(checkCertificate(one).ok()) << messageOf(one);
  number(one, server, {2, 2});
  EXPECT_THAT(messageOf(one), HasSubstr("order edge"));
  program.mutable_instructions()->SwapElements(0, 1); // ends before it begins
  number(one, server, {1, 2});
  EXPECT_THAT(messageOf(one), HasSubstr("message edge"));
  program.mutable_instructions()->RemoveLast();
  number(one, server, {1});
  EXPECT_THAT(messageOf(one), HasSubstr("0 sends and 1 receives"));
}

TEST_F(Certificate, ReorderedInstructionsAreRefused) {
  // The server waits for the gradients before it sends the parameters that they are made of: the
  // true circle.
  auto *instructions = at(server).mutable_instructions();
  int aggregate = 0;
  while (!instructions->Get(aggregate).has_aggregate())
    ++aggregate;
  for (int i = aggregate; i > 0; --i)
    instructions->SwapElements(i, i - 1);
  for (uint32_t gap : {1u, 2u, 50u}) { // however it is numbered
    number(plan, server, {1 * gap, 2 * gap, 3 * gap, 4 * gap});
    EXPECT_THAT(messageOf(plan), HasSubstr("message edge: "));
  }
}

TEST_F(Certificate, HostileIndicesAreRefused) {
  Plan good = plan;
  for (int i = 0; i < at(worker).instructions_size(); ++i) {
    plan = good;
    Instruction &instruction = *at(worker).mutable_instructions(i);
    instruction.mutable_send_start()->set_channel(0xffffffff);
    EXPECT_FALSE(checkCertificate(plan).ok());
  }
  plan = good;
  plan.mutable_channels(0)->set_sender(77);
  EXPECT_FALSE(checkCertificate(plan).ok());
  plan = good;
  plan.mutable_channels(0)->set_capacity(0);
  EXPECT_THAT(messageOf(plan), HasSubstr("has room for no message"));
}

/// Programs "from" and "to" on two tasks, a channel "c" of vectors between them.
struct TwoPrograms : PlanBuilder {
  struct Ends {
    uint32_t from, to, channel;
  };
  Ends ends = [this] {
    uint32_t tasks = job("t", 2), predict = phase("p", PREDICT, false);
    uint32_t from = program(predict, "from", 1, false, tasks, 0);
    uint32_t to = program(predict, "to", 1, false, tasks, 1);
    return Ends{from, to, channel("c", vector(), from, to)};
  }();
  /// A message of a buffer of the arena, sent, taken and released.
  void exchange() {
    send(ends.from, ends.channel, arenaBuffer(ends.from, vector()));
    receive(ends.to, ends.channel, slotBuffer(ends.to, vector()));
    release(ends.to, ends.channel);
  }
};

/// A slot is there once the message before it was released: it is its taking that waits, not its
/// send.
TEST(CertificateCapacity, AnAcquireWaitsForTheRelease) {
  TwoPrograms builder;
  auto [from, to, channel] = builder.ends;
  uint32_t buffer = builder.outgoingBuffer(from, builder.vector(), channel);
  uint32_t slot = builder.slotBuffer(to, builder.vector());
  for (int message = 0; message < 2; ++message) {
    builder.acquire(from, channel, buffer);
    builder.sendStart(from, channel, buffer);
    builder.receive(to, channel, slot);
    builder.release(to, channel);
  }
  number(builder.plan, int(from), {1, 2, 5, 6});
  number(builder.plan, int(to), {3, 4, 7, 8});
  auto facts = checkCertificate(builder.plan);
  ASSERT_TRUE(facts.ok()) << messageOf(builder.plan);
  EXPECT_EQ(facts->events, 8u);
  // the order of each, two messages, one slot that is used twice
  EXPECT_EQ(facts->edges, 3u + 3u + 2u + 1u);
  number(builder.plan, int(from), {1, 2, 4, 6});
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("capacity (1) edge: program to releases c"));
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("program from takes a slot of c"));
  builder.plan.mutable_programs(int(from))->mutable_instructions()->DeleteSubrange(0, 1);
  number(builder.plan, int(from), {2, 5, 6});
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("has 2 sends and acquires 1 slots a step"));
}

/// Two messages a step, of which the first is released after the second is there.
TEST(CertificateCapacity, ASmallerCapacityIsRefusedWithItsEdge) {
  TwoPrograms builder;
  auto [from, to, channel] = builder.ends;
  uint32_t source = builder.arenaBuffer(from, builder.vector());
  uint32_t first = builder.slotBuffer(to, builder.vector()),
           second = builder.slotBuffer(to, builder.vector());
  builder.send(from, channel, source);
  builder.send(from, channel, source);
  builder.receive(to, channel, first);
  builder.receive(to, channel, second);
  builder.release(to, channel);
  builder.release(to, channel);
  builder.plan.mutable_channels(int(channel))->set_capacity(2);
  number(builder.plan, int(from), {1, 2, 3, 4});
  number(builder.plan, int(to), {2, 4, 5, 6});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  builder.plan.mutable_channels(int(channel))->set_capacity(1);
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("capacity (1) edge: program to releases c"));
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("program from sends c"));
}

/// A message sent ahead is the next step's: its receive need not come after it, but where the
/// channel has one slot, or is read in place, the release of this step's must come before.
TEST(CertificateAhead, TheMessageIsTheNextSteps) {
  TwoPrograms builder;
  auto [from, to, channel] = builder.ends;
  builder.sendDone(from, channel);
  builder.sendStart(from, channel, builder.arenaBuffer(from, builder.vector()), true);
  builder.receive(to, channel, builder.slotBuffer(to, builder.vector()));
  builder.release(to, channel);
  Channel &c = *builder.plan.mutable_channels(int(channel));
  c.set_capacity(2);
  number(builder.plan, int(from), {1, 2});
  number(builder.plan, int(to), {1, 2});
  auto facts = checkCertificate(builder.plan);
  ASSERT_TRUE(facts.ok()) << messageOf(builder.plan);
  EXPECT_EQ(facts->edges, 2u) << "the order of each";
  c.set_capacity(1);
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("capacity (1) edge: program to releases c"));
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("program from sends c"));
  number(builder.plan, int(from), {1, 3});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  c.set_zero_copy(true);
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("borrow edge: program to releases c"));
  number(builder.plan, int(from), {3, 4});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  builder.sendDone(from, channel);
  builder.sendStart(from, channel, 0, true);
  builder.receive(to, channel, 0);
  builder.release(to, channel);
  number(builder.plan, int(from), {3, 4, 7, 8});
  number(builder.plan, int(to), {1, 2, 5, 6});
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("channel c has 2 sends a step, of which 2 ahead; expected one alone"));
}

TEST(CertificateBorrow, ASendDoneBeforeTheReleaseIsRefusedWhereZeroCopy) {
  TwoPrograms builder;
  auto [from, to, channel] = builder.ends;
  builder.exchange();
  number(builder.plan, int(from), {1, 2});
  number(builder.plan, int(to), {2, 3});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  builder.plan.mutable_channels(int(channel))->set_zero_copy(true);
  EXPECT_THAT(messageOf(builder.plan), HasSubstr("borrow edge: program to releases c"));
  number(builder.plan, int(from), {1, 4});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
}

/// In a phase that ends by end of stream "server" takes update tickets and sends p to "worker",
/// which "other" sends a twice before it receives b; the worker answers the server with g.
struct EndOfStreamPlan : PlanBuilder {
  uint32_t server, other, worker, a, b, p, g;
  explicit EndOfStreamPlan(bool hearsFirst) {
    uint32_t tasks = job("t", 3), train = phase("train", TRAIN, true);
    server = program(train, "server", 1, false, tasks, 0);
    other = program(train, "other", 1, false, tasks, 1);
    worker = program(train, "worker", 1, false, tasks, 2);
    a = channel("a", vector(), other, worker);
    b = channel("b", vector(), worker, other);
    p = channel("p", vector(), server, worker);
    g = channel("g", vector(), worker, server);
    auto take = [&](uint32_t program, uint32_t channel) {
      receive(program, channel, slotBuffer(program, vector()));
      release(program, channel);
    };
    ticket(server);
    send(server, p, arenaBuffer(server, vector()));
    take(server, g);
    for (int i = 0; i < 2; ++i)
      send(other, a, arenaBuffer(other, vector()));
    take(other, b);
    if (hearsFirst)
      take(worker, p);
    for (int i = 0; i < 2; ++i)
      take(worker, a);
    if (!hearsFirst)
      take(worker, p);
    for (uint32_t channel : {b, g})
      send(worker, channel, arenaBuffer(worker, vector()));
    finish();
    number(plan, int(server), {1, 2, 20, 21});
    number(plan, int(other), {1, 2, 7, 8, 20, 21});
    if (hearsFirst)
      number(plan, int(worker), {3, 4, 5, 6, 9, 10, 11, 12, 13, 14});
    else
      number(plan, int(worker), {3, 4, 8, 9, 10, 11, 12, 13, 14, 15});
  }
};

TEST(CertificateEnd, ASendToAProgramThatHeardBeforeIsRefused) {
  EndOfStreamPlan builder(/*hearsFirst=*/true);
  EXPECT_THAT(
      messageOf(builder.plan),
      HasSubstr(
          "when phase train ends, program other sends a (instruction 2) and waits until worker releases the "
          "message before, which has ended by then, at its instruction 0"));
  builder.plan.mutable_channels(int(builder.a))->set_capacity(2);
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  EXPECT_TRUE(checkCertificate(EndOfStreamPlan(/*hearsFirst=*/false).plan).ok());
}

TEST(CertificateEnd, ASendDoneThatWaitsForAProgramThatHeardBeforeIsRefused) {
  EndOfStreamPlan builder(/*hearsFirst=*/true);
  builder.plan.mutable_channels(int(builder.a))->set_capacity(2);
  builder.plan.mutable_channels(int(builder.a))->set_zero_copy(true);
  number(builder.plan, int(builder.other), {1, 7, 8, 11, 20, 21});
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("program other finishes sending a (instruction 1) and waits until worker"));
}

// What a fetch shows is released behind the step, which the worker does not come to.
TEST(CertificateEnd, AFetchedMessageIsNotReleasedInAStepThatIsCutShort) {
  EndOfStreamPlan builder(/*hearsFirst=*/false);
  builder.fetch(builder.worker, "a", 1);
  number(builder.plan, int(builder.worker), {3, 4, 8, 9, 10, 11, 12, 13, 14, 15});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  // The other one runs ahead by a step, and hears of the end in its next.
  auto *instructions = builder.plan.mutable_programs(int(builder.worker))->mutable_instructions();
  for (int from : {6, 7}) // b leaves before p comes
    for (int i = from; i > from - 2; --i)
      instructions->SwapElements(i, i - 1);
  builder.plan.mutable_channels(int(builder.a))->set_capacity(2);
  builder.plan.mutable_programs(int(builder.worker))->clear_fetches();
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
  builder.fetch(builder.worker, "a", 1);
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("program other sends a (instruction 2) and waits until worker"));
}

TEST(CertificateEnd, AReplicatedProgramThatMeetsASingleOneIsRefused) {
  EndOfStreamPlan builder(/*hearsFirst=*/false);
  builder.plan.mutable_programs(int(builder.other))->set_instances(2);
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("channel a joins 2 instances of other with 1 of worker"));
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("ends by end of stream, where a fifo joins each instance with one"));
}

TEST(CertificateEnd, AProgramThatNeverHearsOfTheEndIsRefused) {
  TwoPrograms builder;
  auto [from, to, channel] = builder.ends;
  builder.plan.mutable_phases(0)->set_ends_by_end_of_stream(true);
  builder.ticket(from);
  EXPECT_THAT(messageOf(builder.plan),
              HasSubstr("no channel leads from an update ticket to program to"));
  builder.exchange();
  number(builder.plan, int(from), {1, 2});
  number(builder.plan, int(to), {2, 3});
  EXPECT_TRUE(checkCertificate(builder.plan).ok()) << messageOf(builder.plan);
}

} // namespace
