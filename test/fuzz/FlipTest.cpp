// Every byte of a small plan changed, as it is and with the sum made right again: an error or an
// equal plan, no crash.
#include "runtime/common/base/Sha256.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "test/fuzz/SamplePlan.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace graphc;

namespace {

std::string encoded() {
  auto file = plan::encodePlan(test::samplePlan());
  EXPECT_TRUE(file.ok()) << file.status();
  return *file;
}

TEST(PlanFlip, TheSampleIsValid) {
  plan::Plan sample = test::samplePlan();
  ASSERT_GT(sample.programs_size(), 0) << "the text does not parse";
  EXPECT_TRUE(plan::verifyPlan(sample).ok()) << plan::verifyPlan(sample);
  EXPECT_TRUE(plan::checkCertificate(sample).ok()) << plan::checkCertificate(sample).status();
}

// What a mutation of the sample cannot reach no fuzzer reaches from it.
TEST(PlanFlip, TheSampleHasMessagesOfAnActualSize) {
  std::string ends;
  const plan::Plan sample = test::samplePlan();
  for (const plan::Program &program : sample.programs())
    for (const plan::Instruction &instruction : program.instructions())
      ends += instruction.send_start().has_units()
                  ? (instruction.send_start().deal() ? "deal " : "send ")
              : instruction.receive().has_units() ? "receive "
              : instruction.collect().has_units() ? "collect "
                                                  : "";
  EXPECT_EQ(ends, "deal collect receive send ");
}

TEST(PlanFlip, AsItIsEveryChangeIsNoticed) {
  const std::string good = encoded();
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] ^= char(1 << bit);
      auto loaded = plan::decodePlan(bad, "p");
      ASSERT_FALSE(loaded.ok()) << "byte " << i << " bit " << bit;
      ASSERT_FALSE(loaded.status().message().empty());
      ASSERT_EQ(loaded.status().message().find('\n'), std::string::npos)
          << "an error of more than one line";
    }
}

TEST(PlanFlip, EveryTruncationIsNoticed) {
  const std::string good = encoded();
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_FALSE(plan::decodePlan(good.substr(0, size), "p").ok()) << size;
  EXPECT_FALSE(plan::decodePlan(good + '\0', "p").ok());
}

TEST(PlanFlip, WithTheSumMadeRightNothingCrashes) {
  const std::string good = encoded();
  size_t refused = 0, accepted = 0;
  for (size_t i = 0; i < good.size(); ++i)
    for (int change = 0; change < 11; ++change) {
      std::string bad = good;
      bad[i] = change < 8    ? char(bad[i] ^ (1 << change))
               : change == 8 ? '\0'
               : change == 9 ? '\xff'
                             : '\x7f';
      std::string_view payload = std::string_view(bad).substr(plan::planHeaderBytes);
      base::Sha256Digest digest = base::sha256(payload);
      if (i < 24 || i >= plan::planHeaderBytes) // a changed sum would only be put right again
        memcpy(bad.data() + 24, digest.data(), digest.size());
      auto loaded = plan::decodePlan(bad, "p");
      absl::Status status = loaded.ok() ? plan::verifyPlan(loaded->plan) : loaded.status();
      ++(status.ok() ? accepted : refused);
      if (!status.ok())
        ASSERT_FALSE(status.message().empty()) << i;
    }
  // Names, seeds and scales may be anything, so some are accepted; structure may not.
  EXPECT_GT(refused, good.size() * 3);
  EXPECT_GT(accepted, 0u);
}

} // namespace
