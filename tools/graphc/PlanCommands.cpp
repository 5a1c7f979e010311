//===- PlanCommands.cpp - what graphc says of plans that exist --------------------------------===//
#include "tools/graphc/PlanCommands.h"

#include "passes/report/PlanDiff.h"
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/VerifyPlan.h"

namespace graphc {

int verifyPlanFile(const CommandLineOptions &options) {
  absl::StatusOr<plan::LoadedPlan> loaded = plan::readPlan(options.model);
  absl::Status status = loaded.status();
  if (status.ok())
    status = plan::verifyPlan(loaded->plan);
  plan::CertificateFacts facts;
  if (status.ok()) {
    absl::StatusOr<plan::CertificateFacts> checked = plan::checkCertificate(loaded->plan);
    status = checked.status();
    if (checked.ok())
      facts = *checked;
  }
  if (!status.ok()) {
    std::string message(status.message());
    llvm::errs() << "graphc: " << (loaded.ok() ? options.model + ": " : "") << message << '\n';
    return 1;
  }
  auto count = [](uint64_t n, const char *noun) {
    return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
  };
  llvm::outs() << options.model << ": verified; " << count(facts.phases, "phase") << ", "
               << count(facts.programs, "program") << ", " << count(facts.events, "event") << ", "
               << count(facts.edges, "edge") << ": none can wait for itself\n";
  return 0;
}

int diffPlans(const CommandLineOptions &options) {
  plan::LoadedPlan plans[2];
  for (const auto &[plan, path] :
       {std::pair(&plans[0], options.model), std::pair(&plans[1], options.otherPlan)}) {
    absl::StatusOr<plan::LoadedPlan> loaded = plan::loadPlan(path);
    if (!loaded.ok()) {
      llvm::errs() << "graphc: " << std::string(loaded.status().message()) << '\n';
      return 1;
    }
    *plan = *std::move(loaded);
  }
  llvm::outs() << diff(plans[0], plans[1]);
  return 0;
}

} // namespace graphc
