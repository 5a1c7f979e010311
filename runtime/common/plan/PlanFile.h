//===- PlanFile.h - the plan as a file ----------------------------------------------*- C++ -*-===//
//
// Layout, little endian:
//    0  8 bytes  magic "GRAPHCPL"
//    8  u32      format version, 10
//   12  u32      reserved, 0
//   16  u64      payload bytes, exactly what is left of the file
//   24  32 bytes SHA-256 of the payload
//   56  payload  the serialized Plan
// The digest is checked before anything else of the payload is looked at. A plan's fingerprint is
// that digest in hexadecimal: peers compare it, checkpoints record it.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_RUNTIME_COMMON_PLAN_PLANFILE_H
#define GRAPHC_RUNTIME_COMMON_PLAN_PLANFILE_H

#include "runtime/common/plan/plan.pb.h"

#include "absl/status/statusor.h"

#include <string>
#include <string_view>

namespace graphc::plan {

inline constexpr char planMagic[] = "GRAPHCPL";
inline constexpr uint32_t planVersion = 11; ///< the only one that is read
inline constexpr size_t planHeaderBytes = 56;
inline constexpr uint64_t maxPlanBytes = uint64_t(2) << 30; ///< protobuf's own limit

struct LoadedPlan {
  Plan plan;
  std::string fingerprint; ///< 64 hexadecimal digits
};

/// Header and payload as one string; the same plan gives the same bytes (maps are not used in the
/// schema).
absl::StatusOr<std::string> encodePlan(const Plan &plan);
/// Checks header, digest and syntax, not the content: call verifyPlan (VerifyPlan.h) next. `name`
/// is for messages.
absl::StatusOr<LoadedPlan> decodePlan(std::string_view file, std::string_view name);
/// decodePlan without comparing the digest, for fuzzing the layers behind it.
absl::StatusOr<LoadedPlan> decodePlanUnchecked(std::string_view file, std::string_view name);

/// Writes atomically; "-": standard output.
absl::Status writePlan(const std::string &path, const Plan &plan);
/// Reads and decodes; "-": standard input. Does not verify.
absl::StatusOr<LoadedPlan> readPlan(const std::string &path);
/// readPlan, then verifyPlan and checkCertificate (LivenessCertificate.h) with the file's name
/// before their message: what graphrun uses.
absl::StatusOr<LoadedPlan> loadPlan(const std::string &path);

} // namespace graphc::plan
#endif
