#include "runtime/common/plan/PlanFile.h"

#include "runtime/common/base/File.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/VerifyPlan.h"

#include "absl/strings/str_cat.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <cstring>
#include <unistd.h>

namespace graphc::plan {
namespace {

template <typename T> T loadLittle(const char *p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= T(uint8_t(p[i])) << (8 * i);
  return value;
}
template <typename T> void storeLittle(char *p, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    p[i] = char(uint8_t(value >> (8 * i)));
}

absl::Status bad(std::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(base::view(name), ": ", what));
}

constexpr char kAgain[] = "; copy it anew, or write it again with graphc";

/// From the outside in: whose file it is, of which version, whole, undamaged; only then protobuf
/// reads the payload.
absl::StatusOr<LoadedPlan> decode(std::string_view file, std::string_view name, bool checksDigest) {
  if (file.size() < 8 || memcmp(file.data(), planMagic, 8) != 0)
    return bad(name, "not a plan: a plan begins with \"GRAPHCPL\"; make one with graphc");
  if (file.size() < planHeaderBytes)
    return bad(name, absl::StrCat("truncated plan: ", file.size(), " bytes, the header alone has ",
                                  planHeaderBytes, kAgain));
  uint32_t version = loadLittle<uint32_t>(file.data() + 8);
  if (version > planVersion)
    return bad(name, absl::StrCat("plan format version ", version,
                                  " is newer than this graphrun, which reads version ", planVersion,
                                  "; use the graphrun that belongs to the graphc that wrote it"));
  if (version == 0)
    return bad(name, "plan format version 0 does not exist");
  if (version < planVersion)
    return bad(name, absl::StrCat("plan format version ", version,
                                  " is older than this graphrun, which reads version ", planVersion,
                                  "; compile the model again"));
  if (loadLittle<uint32_t>(file.data() + 12) != 0)
    return bad(name, "damaged plan: the reserved field of the header is not 0");
  uint64_t bytes = loadLittle<uint64_t>(file.data() + 16);
  std::string_view payload = file.substr(planHeaderBytes);
  if (bytes > maxPlanBytes)
    return bad(name, absl::StrCat("damaged plan: its header claims ", bytes,
                                  " bytes, more than the limit of ", maxPlanBytes));
  if (payload.size() != bytes)
    return bad(name,
               absl::StrCat(payload.size() < bytes ? "truncated plan: " : "damaged plan: ",
                            payload.size(), " bytes follow the header, expected ", bytes, kAgain));
  base::Sha256Digest digest = base::sha256(payload);
  if (checksDigest && memcmp(digest.data(), file.data() + 24, 32) != 0)
    return absl::DataLossError(absl::StrCat(
        base::view(name), ": damaged plan: the SHA-256 of its content does not match its header",
        kAgain));

  LoadedPlan loaded;
  loaded.fingerprint = base::toHex(digest);
  google::protobuf::LogSilencer quiet; // the status says it all; protobuf would print besides
  google::protobuf::io::ArrayInputStream array(payload.data(), int(payload.size()));
  google::protobuf::io::CodedInputStream coded(&array);
  coded.SetRecursionLimit(16); // the schema nests five messages deep
  if (!loaded.plan.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    return bad(name, "damaged plan: its content is not a Plan message");
  return loaded;
}

} // namespace

absl::StatusOr<std::string> encodePlan(const Plan &plan) {
  size_t bytes = plan.ByteSizeLong();
  if (bytes >= maxPlanBytes)
    return absl::ResourceExhaustedError(
        absl::StrCat("the plan has ", bytes, " bytes, more than the limit of ", maxPlanBytes));
  std::string file(planHeaderBytes + bytes, '\0');
  google::protobuf::io::ArrayOutputStream array(file.data() + planHeaderBytes, int(bytes));
  {
    google::protobuf::io::CodedOutputStream coded(&array);
    coded.SetSerializationDeterministic(true);
    plan.SerializeWithCachedSizes(&coded);
    if (coded.HadError())
      return absl::InternalError("the plan does not serialize");
  }
  memcpy(file.data(), planMagic, 8);
  storeLittle<uint32_t>(file.data() + 8, planVersion);
  storeLittle<uint32_t>(file.data() + 12, 0);
  storeLittle<uint64_t>(file.data() + 16, bytes);
  base::Sha256Digest digest = base::sha256(std::string_view(file).substr(planHeaderBytes));
  memcpy(file.data() + 24, digest.data(), digest.size());
  return file;
}

absl::StatusOr<LoadedPlan> decodePlan(std::string_view file, std::string_view name) {
  return decode(file, name, true);
}

absl::StatusOr<LoadedPlan> decodePlanUnchecked(std::string_view file, std::string_view name) {
  return decode(file, name, false);
}

absl::Status writePlan(const std::string &path, const Plan &plan) {
  GRAPHC_ASSIGN_OR_RETURN(std::string file, encodePlan(plan));
  if (path == "-")
    return base::writeAll(STDOUT_FILENO, file.data(), file.size(), "standard output");
  return base::writeFileAtomic(path, file);
}

absl::StatusOr<LoadedPlan> readPlan(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::string file, base::readFile(path, maxPlanBytes + planHeaderBytes));
  return decodePlan(file, path == "-" ? "standard input" : path);
}

absl::StatusOr<LoadedPlan> loadPlan(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(LoadedPlan loaded, readPlan(path));
  GRAPHC_RETURN_IF_ERROR(base::annotate(verifyPlan(loaded.plan), path));
  GRAPHC_RETURN_IF_ERROR(base::annotate(checkCertificate(loaded.plan).status(), path));
  return loaded;
}

} // namespace graphc::plan
