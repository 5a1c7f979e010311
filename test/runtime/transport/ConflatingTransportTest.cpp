//===- ConflatingTransportTest.cpp - versioned slots ------------------------------------------===//

#include "runtime/transport/ConflatingTransport.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace graphc::transport {
namespace {

std::unique_ptr<ConflatingTransport> makeTransport(uint32_t instances, uint64_t bytes) {
  std::vector<ChannelSpec> specs;
  for (uint32_t i = 0; i < instances; ++i)
    specs.push_back({{7, i}, bytes});
  auto transport = ConflatingTransport::create(specs);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return *std::move(transport);
}

void send(ConflatingTransport &transport, uint32_t instance, int64_t value) {
  ASSERT_EQ(transport.sender({7, instance})->start(&value, 0), PollState::Ready);
  ASSERT_EQ(transport.sender({7, instance})->done(), PollState::Ready);
}

TEST(ConflatingTransport, TheNewestReplacesWhatNobodyTook) {
  auto transport = makeTransport(1, 8);
  ConflatingReceiver *receiver = transport->conflating({7, 0});
  const void *data = nullptr;
  EXPECT_EQ(receiver->poll(&data), PollState::Pending);
  for (int64_t value : {1, 2, 3})
    send(*transport, 0, value);
  ASSERT_EQ(receiver->poll(&data), PollState::Ready);
  EXPECT_EQ(*static_cast<const int64_t *>(data), 3);
  send(*transport, 0, 4); // while the reader holds 3
  send(*transport, 0, 5);
  ASSERT_EQ(receiver->poll(&data), PollState::Ready);
  EXPECT_EQ(*static_cast<const int64_t *>(data), 3) << "what is held stays";
  receiver->release();
  ASSERT_EQ(receiver->poll(&data), PollState::Ready);
  EXPECT_EQ(*static_cast<const int64_t *>(data), 5);
  receiver->release();
  EXPECT_EQ(receiver->poll(&data), PollState::Pending);
  EXPECT_EQ(receiver->sent(), 5u);
}

TEST(ConflatingTransport, ClosedAfterTheLastMessageAndAbortWakes) {
  auto transport = makeTransport(2, 8);
  const void *data = nullptr;
  send(*transport, 0, 1);
  transport->sender({7, 0})->close();
  EXPECT_EQ(transport->conflating({7, 0})->poll(&data), PollState::Ready);
  transport->conflating({7, 0})->release();
  EXPECT_EQ(transport->conflating({7, 0})->poll(&data), PollState::Closed);
  EXPECT_EQ(transport->conflating({7, 1})->poll(&data), PollState::Pending);
  std::thread aborter([&] { transport->abort(absl::AbortedError("gone")); });
  transport->conflating({7, 1})->wait(absl::Minutes(1));
  aborter.join();
  EXPECT_EQ(transport->conflating({7, 1})->poll(&data), PollState::Aborted);
  EXPECT_EQ(transport->conflating({7, 1})->status().message(), "gone");
  ASSERT_EQ(transport->reset(2), absl::OkStatus());
  EXPECT_EQ(transport->conflating({7, 0})->poll(&data), PollState::Pending) << "open again";
}

TEST(ConflatingTransport, AChannelIsListedOnce) {
  EXPECT_FALSE(ConflatingTransport::create({{{1, 0}, 8}, {{1, 0}, 8}}).ok());
  EXPECT_EQ(makeTransport(1, 8)->receiver({7, 3}), nullptr);
  EXPECT_EQ(makeTransport(1, 8)->sender({8, 0}), nullptr);
}

// A writer that never waits and a reader of another pace: no message is torn, none comes twice or
// out of order, and a wait on one receiver of the channel ends when another one gets a message.
TEST(ConflatingTransport, NothingIsTorn) {
  constexpr int64_t kMessages = 20000;
  constexpr size_t kWords = 512;
  auto transport = makeTransport(2, kWords * 8);
  std::thread writer([&] {
    std::vector<int64_t> words(kWords);
    for (int64_t message = 1; message <= kMessages; ++message) {
      std::fill(words.begin(), words.end(), message);
      ASSERT_EQ(transport->sender({7, 1})->start(words.data(), 0), PollState::Ready);
    }
  });
  ConflatingReceiver *other = transport->conflating({7, 0}),
                     *receiver = transport->conflating({7, 1});
  for (int64_t last = 0; last < kMessages;) {
    const void *data = nullptr;
    EXPECT_EQ(other->poll(&data), PollState::Pending);
    if (receiver->poll(&data) != PollState::Ready) {
      other->wait(absl::Minutes(1));
      continue;
    }
    std::vector<int64_t> words(kWords);
    memcpy(words.data(), data, kWords * 8);
    receiver->release();
    ASSERT_GT(words[0], last);
    last = words[0];
    ASSERT_EQ(words, std::vector<int64_t>(kWords, last));
  }
  writer.join();
}

} // namespace
} // namespace graphc::transport
