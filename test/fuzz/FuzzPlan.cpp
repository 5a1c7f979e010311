// The plan's reader and verifier on arbitrary bytes (the sum is not compared), and what relies on a
// verified plan without running it. A mutator that knows the schema changes single fields, so that
// changes get behind the parser.
#include "runtime/common/plan/LivenessCertificate.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/common/plan/VerifyPlan.h"
#include "runtime/data/PhaseBatches.h"
#include "test/fuzz/FieldMutator.h"
#include "test/fuzz/SamplePlan.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace graphc;
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

/// What the runtime asks of a verified plan before it runs: none of this checks an index again.
void use(const plan::Plan &plan) {
  for (const plan::Program &program : plan.programs()) {
    for (uint32_t i = 0; i < std::min(program.instances(), 64u); ++i)
      if (plan::taskText(plan, plan::instanceTask(plan, program, i)) == "<bad task>")
        abort();
    for (const plan::Instruction &instruction : program.instructions())
      plan::locationText(plan, instruction.location());
  }
  if (plan::taskText(plan, plan.chief()) == "<bad task>")
    abort();
  data::DatasetSearchPath nowhere;
  nowhere.dataDir = "no-such-folder";
  nowhere.useCache = false;
  data::DatasetCache datasets(plan, nowhere);
  for (uint32_t phase = 0; phase < uint32_t(plan.phases_size()); ++phase) {
    // Batches allocate nothing without prefetch.
    auto batches =
        data::PhaseBatches::create(plan, phase, plan.chief(), datasets, /*prefetch=*/false);
    (void)data::epochSamples(plan, phase, datasets);
    if (batches.ok() && !(*batches)->start({data::ConsumedRanges(UINT64_MAX - 5)}).ok())
      abort();
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned int seed) {
  test::FieldRandom random(seed);
  if (random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  auto loaded = plan::decodePlanUnchecked({reinterpret_cast<const char *>(data), size}, "fuzz");
  plan::Plan plan = loaded.ok() ? loaded->plan : test::samplePlan();
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
    test::mutateField(plan, random);
  auto file = plan::encodePlan(plan);
  if (!file.ok() || file->size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  memcpy(data, file->data(), file->size());
  return file->size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  (void)plan::decodePlan(file, "fuzz");
  auto loaded = plan::decodePlanUnchecked(file, "fuzz");
  if (loaded.ok())
    (void)plan::checkCertificate(loaded->plan); // of any plan, verified or not
  if (loaded.ok() && plan::verifyPlan(loaded->plan).ok())
    use(loaded->plan);
  return 0;
}
