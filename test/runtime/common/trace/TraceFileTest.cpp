// The file of --trace: its bytes by a decoder of our own, which knows Perfetto's numbers and
// nothing of perfetto.proto; what is read again.
#include "runtime/common/trace/TraceFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace graphc::trace {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

/// The fields of one message as protobuf has them on the wire: by number, numbers as text.
struct Fields {
  explicit Fields(std::string_view bytes) {
    size_t at = 0;
    auto varint = [&] {
      uint64_t value = 0;
      for (int shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        value |= uint64_t(byte & 127) << shift;
        if (byte < 128)
          return value;
      }
      ADD_FAILURE() << "a number is cut off";
      return value;
    };
    while (at < bytes.size()) {
      const uint64_t key = varint();
      const uint64_t wire = key % 8, number = key / 8;
      if (wire == 0) {
        all[number].push_back(std::to_string(varint()));
      } else if (wire == 1) {
        uint64_t value = 0;
        memcpy(&value, bytes.data() + at, 8);
        all[number].push_back(std::to_string(value));
        at += 8;
      } else if (wire == 2) {
        const uint64_t size = varint();
        all[number].emplace_back(bytes.substr(at, size));
        at += size;
      } else {
        ADD_FAILURE() << "wire type " << wire;
        return;
      }
    }
  }
  const std::string &one(uint64_t number) {
    EXPECT_EQ(all[number].size(), 1u) << "field " << number;
    static const std::string kNone;
    return all[number].empty() ? kNone : all[number].front();
  }
  std::map<uint64_t, std::vector<std::string>> all;
};

std::string smallTrace() {
  TraceWriter writer;
  writer.addTask(2, "/job:ps/task:0", {"process 17 on here"});
  const uint32_t lane = writer.addLane(2, "train.ps0 on CPU:0");
  writer.instant(lane, 1000, {"graphrun", kHost, {{kPlan, std::string("f00")}}});
  writer.begin(lane, 1000, {"step 3", kStep, {{kProgram, uint64_t(1)}, {kInstance, uint64_t(0)}}});
  writer.begin(lane, 1100,
               {"send w",
                kMessage,
                {{kInstruction, uint64_t(7)}, {"source", std::string("m.mlir:3:4")}},
                {5, 6},
                {}});
  writer.end(lane, 1200);
  writer.begin(lane, 1200,
               {"wait for worker:1: sum of g", kWait, {{kInstruction, uint64_t(8)}}, {}, {4}});
  writer.end(lane, 1900);
  writer.end(lane, 2000);
  return writer.take();
}

TEST(TraceFile, HasPerfettosNumbers) {
  Fields file(smallTrace());
  std::vector<std::string> packets = file.all[1];
  ASSERT_EQ(file.all.size(), 1u);
  ASSERT_EQ(packets.size(), 9u);
  for (const std::string &packet : packets)
    EXPECT_EQ(Fields(packet).one(10), "1"); // trusted_packet_sequence_id

  Fields task(Fields(packets[0]).one(60)); // track_descriptor
  Fields process(task.one(3));
  EXPECT_EQ(process.one(6), "/job:ps/task:0");
  EXPECT_EQ(process.one(8), "process 17 on here");
  Fields lane(Fields(packets[1]).one(60));
  EXPECT_EQ(lane.one(5), task.one(1)); // parent_uuid
  Fields thread(lane.one(4));
  EXPECT_EQ(thread.one(1), process.one(1)); // pid
  EXPECT_NE(thread.one(2), process.one(1)); // a tid of its own
  EXPECT_EQ(thread.one(5), "train.ps0 on CPU:0");

  Fields send(packets[4]);
  EXPECT_EQ(send.one(8), "1100"); // timestamp
  Fields event(send.one(11)); // track_event
  EXPECT_EQ(event.one(9), "1"); // TYPE_SLICE_BEGIN
  EXPECT_EQ(event.one(11), lane.one(1)); // track_uuid
  EXPECT_EQ(event.one(22), "message"); // categories
  EXPECT_EQ(event.one(23), "send w");
  EXPECT_THAT(event.all[47], ElementsAre("5", "6")); // flow_ids
  EXPECT_TRUE(event.all[48].empty());
  ASSERT_EQ(event.all[4].size(), 2u); // debug_annotations
  Fields instruction(event.all[4][0]), source(event.all[4][1]);
  EXPECT_EQ(instruction.one(10), "instruction");
  EXPECT_EQ(instruction.one(3), "7");
  EXPECT_EQ(source.one(6), "m.mlir:3:4");

  Fields end(Fields(packets[5]).one(11));
  EXPECT_EQ(end.one(9), "2"); // TYPE_SLICE_END
  EXPECT_EQ(end.one(11), lane.one(1));
  EXPECT_THAT(Fields(Fields(packets[6]).one(11)).all[48], ElementsAre("4")); // terminating_flow_ids
  EXPECT_EQ(Fields(Fields(packets[2]).one(11)).one(9), "3"); // TYPE_INSTANT
}

TEST(TraceFile, IsReadAgain) {
  auto trace = readTrace(smallTrace());
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->plan, "f00");
  ASSERT_EQ(trace->steps.size(), 1u);
  const MeasuredTrace::Step &step = trace->steps.front();
  EXPECT_EQ(step.program, 1u);
  EXPECT_NEAR(step.end - step.begin, 1e-6, 1e-12);
  ASSERT_EQ(step.parts.size(), 2u);
  EXPECT_EQ(step.parts[0].instruction, 7u);
  EXPECT_FALSE(step.parts[0].waits);
  EXPECT_TRUE(step.parts[1].waits);
  EXPECT_NEAR(step.parts[1].end - step.parts[1].begin, 0.7e-6, 1e-12);
}

// Each beginning of a file, and each byte of it changed: an error or a trace, never a crash.
TEST(TraceFile, DamagedFilesAreRefusedOrRead) {
  const std::string whole = smallTrace();
  EXPECT_THAT(std::string(readTrace("no trace at all").status().message()),
              HasSubstr("no trace that graphrun"));
  EXPECT_THAT(std::string(readTrace("").status().message()), HasSubstr("it has no steps"));
  size_t refused = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    refused += !readTrace(whole.substr(0, i)).ok();
    std::string changed = whole;
    for (int bit = 0; bit < 8; ++bit) {
      changed[i] = char(whole[i] ^ (1 << bit));
      refused += !readTrace(changed).ok();
    }
  }
  EXPECT_GT(refused, whole.size());
}

} // namespace
} // namespace graphc::trace
