// The plan's reader and verifier on arbitrary bytes (the sum is not compared), and what relies on a verified plan without
// running it. A mutator that knows the schema changes single fields, so that changes get behind the parser.
#include "runtime/data/PhaseBatches.h"
#include "runtime/plan/Certificate.h"
#include "runtime/plan/PlanFile.h"
#include "runtime/plan/Types.h"
#include "runtime/plan/Verify.h"
#include "test/fuzz/SamplePlan.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace graphc;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using Random = std::minstd_rand;

uint64_t interesting(Random &random, uint64_t old) {
  constexpr uint64_t values[] = {0,         1,          2,          3,          7,          63,         64,
                                 65535,     65536,      0x7fffffff, 0x80000000, 0xffffffff, 1ull << 32, (1ull << 62),
                                 INT64_MAX, 1ull << 63, UINT64_MAX};
  switch (random() % 4) {
  case 0:
    return values[random() % std::size(values)];
  case 1:
    return old + 1;
  case 2:
    return old - 1;
  default:
    return old ^ (1ull << (random() % 64));
  }
}

/// Changes one field somewhere below `message`.
void mutate(Message &message, Random &random) {
  const auto *descriptor = message.GetDescriptor();
  const Reflection *reflection = message.GetReflection();
  if (descriptor->field_count() == 0)
    return;
  const FieldDescriptor *field = descriptor->field(int(random() % unsigned(descriptor->field_count())));
  if (field->is_repeated()) {
    int size = reflection->FieldSize(message, field);
    if (size > 1 && random() % 8 == 0)
      return reflection->SwapElements(&message, field, int(random() % unsigned(size)), int(random() % unsigned(size)));
    if (size > 0 && random() % 8 == 0)
      return reflection->RemoveLast(&message, field);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (size == 0 || random() % 16 == 0) {
        Message *added = reflection->AddMessage(&message, field);
        if (size)
          added->CopyFrom(reflection->GetRepeatedMessage(message, field, int(random() % unsigned(size))));
        return;
      }
      return mutate(*reflection->MutableRepeatedMessage(&message, field, int(random() % unsigned(size))), random);
    }
    if (size == 0 || random() % 8 == 0) {
      switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(&message, field, uint32_t(random() % 8));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->AddInt64(&message, field, int64_t(interesting(random, 1)));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(&message, field, "x");
      default:
        return;
      }
    }
    int i = int(random() % unsigned(size));
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetRepeatedUInt32(
          &message, field, i, uint32_t(interesting(random, reflection->GetRepeatedUInt32(message, field, i))));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetRepeatedInt64(
          &message, field, i, int64_t(interesting(random, uint64_t(reflection->GetRepeatedInt64(message, field, i)))));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetRepeatedString(&message, field, i, std::string(random() % 3, 'y'));
    default:
      return;
    }
  }
  if (random() % 16 == 0)
    return reflection->ClearField(&message, field);
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE:
    return mutate(*reflection->MutableMessage(&message, field), random);
  case FieldDescriptor::CPPTYPE_UINT32:
    return reflection->SetUInt32(&message, field, uint32_t(interesting(random, reflection->GetUInt32(message, field))));
  case FieldDescriptor::CPPTYPE_UINT64:
    return reflection->SetUInt64(&message, field, interesting(random, reflection->GetUInt64(message, field)));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection->SetInt64(&message, field,
                                int64_t(interesting(random, uint64_t(reflection->GetInt64(message, field)))));
  case FieldDescriptor::CPPTYPE_BOOL:
    return reflection->SetBool(&message, field, !reflection->GetBool(message, field));
  case FieldDescriptor::CPPTYPE_ENUM:
    return reflection->SetEnumValue(&message, field, int(random() % 10));
  case FieldDescriptor::CPPTYPE_DOUBLE: {
    uint64_t bits = interesting(random, random()) | (random() % 2 ? 0x7ff0ull << 48 : 0);
    double value;
    memcpy(&value, &bits, 8);
    return reflection->SetDouble(&message, field, value);
  }
  case FieldDescriptor::CPPTYPE_STRING:
    return reflection->SetString(&message, field, std::string(random() % 4, 'z'));
  default:
    return;
  }
}

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
  data::DataSearch nowhere;
  nowhere.dataDir = "no-such-folder";
  nowhere.useCache = false;
  data::DatasetCache datasets(plan, nowhere);
  for (uint32_t phase = 0; phase < uint32_t(plan.phases_size()); ++phase) {
    // Batches allocate nothing without prefetch.
    auto batches = data::PhaseBatches::create(plan, phase, plan.chief(), datasets, /*prefetch=*/false);
    (void)data::epochSamples(plan, phase, datasets);
    if (batches.ok() && !(*batches)->start({UINT64_MAX - 5}).ok())
      abort();
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  Random random(seed);
  if (random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  auto loaded = plan::decodePlanUnchecked({reinterpret_cast<const char *>(data), size}, "fuzz");
  plan::Plan plan = loaded.ok() ? loaded->plan : test::samplePlan();
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes)
    mutate(plan, random);
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
