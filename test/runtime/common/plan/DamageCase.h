//===- DamageCase.h - a rule of the verifier, broken once ---------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_RUNTIME_COMMON_PLAN_DAMAGECASE_H
#define GRAPHC_TEST_RUNTIME_COMMON_PLAN_DAMAGECASE_H

#include "runtime/common/plan/VerifyPlan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace graphc::plan {

struct DamageCase {
  const char *name;
  std::function<void(Plan &)> damage;
  const char *expected; ///< part of the error
  bool async = false; ///< what is damaged is an asynchronous plan
};

inline std::string nameOf(const testing::TestParamInfo<DamageCase> &info) {
  return info.param.name;
}

/// `good` is refused once it is damaged.
inline void expectRefused(Plan good, const DamageCase &broken) {
  broken.damage(good);
  absl::Status status = verifyPlan(good);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(broken.expected));
}

} // namespace graphc::plan
#endif
