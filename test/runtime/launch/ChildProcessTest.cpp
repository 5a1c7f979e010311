#include "runtime/launch/ChildProcess.h"

#include <gtest/gtest.h>

#include <string>
#include <unistd.h>
#include <vector>

namespace graphc::launch {
namespace {

TEST(ChildProcess, LinesComeWholeAndTheLastOneAtTheEnd) {
  auto pipe = createPipe();
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  auto &[out, in] = *pipe;
  std::string rest;
  std::vector<std::string> lines;
  const auto take = [&](const std::string &line) { lines.push_back(line); };
  ASSERT_EQ(write(in.get(), "one\ntwo\nth", 10), 10);
  EXPECT_TRUE(readLines(out, rest, take));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(write(in.get(), "ree\nfour", 8), 8);
  EXPECT_TRUE(readLines(out, rest, take));
  EXPECT_EQ(lines.back(), "three");
  in.reset();
  EXPECT_FALSE(readLines(out, rest, take));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST(ChildProcess, AnEndlessLineComesInPieces) {
  auto pipe = createPipe();
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  auto &[out, in] = *pipe;
  std::string rest;
  size_t bytes = 0, pieces = 0;
  const std::string chunk(16384, 'x');
  for (size_t written = 0; written < (3 << 20); written += chunk.size()) {
    ASSERT_EQ(write(in.get(), chunk.data(), chunk.size()), ssize_t(chunk.size()));
    readLines(out, rest, [&](const std::string &line) {
      bytes += line.size();
      ++pieces;
    });
    EXPECT_LE(rest.size(), (1u << 20));
  }
  EXPECT_GE(pieces, 2u);
  EXPECT_EQ(bytes + rest.size(), 3u << 20) << "nothing is lost";
}

} // namespace
} // namespace graphc::launch
