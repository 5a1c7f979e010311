// Messages that are too long: what one costs the process that receives it, whoever sends it, and
// that no other stream pays for it.
#include "test/runtime/service/LongMessage.h"
#include "test/runtime/service/GrpcPair.h"
#include "test/runtime/service/LocalMaster.h"

#include "runtime/service/MessageParts.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <unistd.h>

namespace graphc::service {
namespace {
using testing::HasSubstr;

/// Task 0's call for its data stream with task 1, as the transport makes it.
std::map<std::string, std::string> dataCall() {
  return {{"graphc-plan", "plan"},     {"graphc-run", "run"},  {"graphc-task", "0"},
          {"graphc-peer", "1"},        {"graphc-stream", "0"}, {"graphc-streams", "1"},
          {"graphc-incarnation", "11"}};
}

TEST(LongMessage, OnADataStreamItIsNotHeld) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  auto channel = pair.dial();
  ASSERT_TRUE(channel.ok()) << channel.status();
  grpc::Status status;
  const int64_t grown = peakGrowth([&] {
    status = LongCall::make(*channel, transport::DataService::kMethod, dataCall(), longMessage());
  });
  EXPECT_FALSE(status.ok());
  EXPECT_LE(grown, kMostGrowth);
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       pair.end[1]->status().ok() && absl::Now() < limit;)
    absl::SleepFor(absl::Milliseconds(1));
  EXPECT_THAT(std::string(pair.end[1]->status().message()),
              HasSubstr("data stream with /job:test/task:0"));
}

TEST(LongMessage, TheStreamOfAnotherTaskGoesOn) {
  GrpcPair pair({{{0, 0}, 8, 1, false}});
  ASSERT_TRUE(pair.connect().ok());
  for (int i = 0; i < 3; ++i) { // from somebody else of the run
    auto channel = pair.dial();
    ASSERT_TRUE(channel.ok()) << channel.status();
    EXPECT_FALSE(LongCall::make(*channel, "/graphc.service.Master/Join", {}, longMessage(30)).ok());
  }
  const uint64_t value = 7;
  EXPECT_EQ(pair.end[0]->sender({0, 0})->start(&value, 0, transport::SendMode::Copy),
            transport::PollState::Ready);
  const void *got = nullptr;
  transport::RecvPort &port = *pair.end[1]->receiver({0, 0});
  for (absl::Time limit = absl::Now() + absl::Seconds(20);
       port.poll(&got) == transport::PollState::Pending && absl::Now() < limit;)
    port.wait(absl::Milliseconds(10));
  ASSERT_TRUE(got);
  EXPECT_EQ(*static_cast<const uint64_t *>(got), value);
  EXPECT_TRUE(pair.end[1]->status().ok()) << pair.end[1]->status();
}

TEST(LongMessage, OnAControlStreamItIsNotHeld) {
  LocalMaster chief;
  ASSERT_TRUE(chief.server.ok()) << chief.server.status();
  auto channel = chief.dial();
  ASSERT_TRUE(channel.ok()) << channel.status();
  grpc::Status status;
  EXPECT_LE(peakGrowth([&] {
              status = LongCall::make(*channel, "/graphc.service.Master/Join", {}, longMessage());
            }),
            kMostGrowth);
  EXPECT_FALSE(status.ok());
}

/// Answers each call with one message.
struct Talker final : grpc::CallbackGenericService {
  struct Answer final : grpc::ServerGenericBidiReactor {
    grpc::ByteBuffer message = longMessage();
    Answer() { StartWriteAndFinish(&message, {}, grpc::Status::OK); }
    void OnDone() override { delete this; }
  };
  grpc::ServerGenericBidiReactor *CreateReactor(grpc::GenericCallbackServerContext *) override {
    return new Answer;
  }
};

/// The side that dials is limited as well.
TEST(LongMessage, FromTheSideThatWasDialledItIsNotHeld) {
  silenceGrpc();
  Talker talker;
  grpc::ServerBuilder builder;
  const std::string path = testing::TempDir() + "graphc-talker-" + std::to_string(getpid());
  builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&talker);
  auto server = builder.BuildAndStart();
  ASSERT_TRUE(server);
  auto channel = grpc::CreateCustomChannel("unix:" + path, grpc::InsecureChannelCredentials(),
                                           transport::channelArguments());
  struct Reader final : grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
    grpc::ByteBuffer message;
    std::promise<grpc::Status> ended;
    void OnDone(const grpc::Status &status) override { ended.set_value(status); }
  } reader;
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  grpc::Status status;
  EXPECT_LE(peakGrowth([&] {
              stub.PrepareBidiStreamingCall(&context, "/a/b", {}, &reader);
              reader.StartRead(&reader.message);
              reader.StartCall();
              status = reader.ended.get_future().get();
            }),
            kMostGrowth);
  EXPECT_FALSE(status.ok());
  server->Shutdown(std::chrono::system_clock::now());
  std::filesystem::remove(path);
}

FromTask result(size_t bytes) {
  FromTask message;
  message.mutable_fetched()->set_value(std::string(bytes, 'x'));
  return message;
}

TEST(MessageParts, AMessageThatIsLongComesWholeAgain) {
  for (size_t bytes : {size_t{0}, size_t{1} << 20, (size_t{2} << 20) + 1, size_t{5} << 20}) {
    const std::list<FromTask> parts = splitMessage(result(bytes));
    EXPECT_EQ(parts.size() > 1, bytes > 2 * kPartBytes) << bytes;
    PartAssembler assembler(size_t{6} << 20);
    std::optional<FromTask> whole;
    for (const FromTask &part : parts) {
      EXPECT_LE(part.ByteSizeLong(), 2 * kPartBytes + 100);
      if (!part.has_part())
        whole = part;
      else if (auto added = assembler.add(part.part()); added.ok())
        whole = *added;
      EXPECT_EQ(whole.has_value(), &part == &parts.back());
    }
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->fetched().value(), std::string(bytes, 'x'));
  }
}

// Protobuf cannot serialize more than 2 GiB. The task then fails, and says why.
TEST(MessageParts, AMessageOverTheLimitIsAnError) {
  const std::list<FromTask> parts = splitMessage(result(size_t{5} << 20), size_t{4} << 20);
  ASSERT_EQ(parts.size(), 1u);
  ASSERT_TRUE(parts.front().has_failed());
  EXPECT_EQ(parts.front().failed().code(), static_cast<int>(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(parts.front().failed().message(),
              HasSubstr("the results and metrics of a step take 52428"));
  EXPECT_THAT(
      parts.front().failed().message(),
      HasSubstr("more than the 4194304 that a task can send to the chief; fetch a smaller result"));
}

TEST(MessageParts, TooManyOrNoMessageAreRefused) {
  PartAssembler assembler(3000000);
  FromTask::Part part;
  part.set_data(std::string(kPartBytes, 'x'));
  EXPECT_TRUE(assembler.add(part).ok());
  EXPECT_TRUE(assembler.add(part).ok());
  absl::Status status = assembler.add(part).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("of over 3000000 bytes"));
  part.set_data("x");
  part.set_last(true);
  PartAssembler other(100);
  EXPECT_TRUE(absl::IsInvalidArgument(other.add(part).status()));
  FromTask inner;
  inner.mutable_part()->set_last(true);
  part.set_data(inner.SerializeAsString()); // parts in parts
  EXPECT_THAT(std::string(other.add(part).status().message()),
              HasSubstr("sends parts that do not form a valid message"));
}

} // namespace
} // namespace graphc::service
