#include "runtime/service/PlanFetch.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/service/PeerCheck.h"
#include "runtime/service/service.grpc.pb.h"
#include "runtime/tls/PeerCertificate.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace graphc::service {
namespace {
absl::Status toStatus(const grpc::Status &status) {
  return base::foreignStatus(status.error_code(), status.error_message());
}
} // namespace

/// On a waiting server. The other end is known to be the chief before a byte of the plan is read;
/// what is read is bounded, and verified later.
absl::StatusOr<FetchedPlan> fetchPlan(const std::shared_ptr<grpc::Channel> &channel,
                                      const std::string &chief, const PlanRequest &request,
                                      absl::Duration limit) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + limit));
  auto stub = Master::NewStub(channel);
  std::unique_ptr<grpc::ClientReader<PlanPart>> reader = stub->FetchPlan(&context, request);
  reader->WaitForInitialMetadata();
  if (absl::Status named = tls::certificateOf(*context.auth_context()).checkTask(chief);
      !named.ok()) {
    context.TryCancel();
    reader->Finish();
    return named;
  }
  FetchedPlan plan;
  PlanPart part;
  bool tooLarge = false;
  while (!tooLarge && reader->Read(&part)) {
    if (plan.file.empty()) {
      plan.run = part.run();
      plan.entry = part.entry();
      plan.client = part.client();
      plan.client.set_host(base::foreignText(plan.client.host()));
      plan.client.set_model(base::foreignText(plan.client.model()));
      plan.check = part.check();
    }
    plan.file += part.data();
    tooLarge = plan.file.size() > plan::maxPlanBytes + plan::planHeaderBytes;
  }
  if (tooLarge)
    context.TryCancel();
  grpc::Status status = reader->Finish();
  if (tooLarge)
    return absl::ResourceExhaustedError(
        absl::StrCat("the client's plan is larger than ", plan::maxPlanBytes, " bytes"));
  if (!status.ok())
    return toStatus(status);
  GRAPHC_RETURN_IF_ERROR(base::annotate(checkRun(plan.run), "the client"));
  if (plan.entry != "train" && plan.entry != "eval" && plan.entry != "predict")
    return absl::InvalidArgumentError("the client: its entry is none of train, eval and predict");
  return plan;
}

std::string describeClient(const std::shared_ptr<grpc::Channel> &channel) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(2)));
  ClientInfo info;
  if (!Master::NewStub(channel)->Describe(&context, DescribeRequest(), &info).ok())
    return "";
  return absl::StrCat("process ", info.pid(), " on ", base::foreignText(info.host()),
                      ", which runs ", base::foreignText(info.model()));
}

} // namespace graphc::service
