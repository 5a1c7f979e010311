// What the fuzz targets of the control protocol share: the plans, a folder that files go to, and a
// mutator of scripts.
#ifndef GRAPHC_TEST_FUZZ_PROTOCOL_H
#define GRAPHC_TEST_FUZZ_PROTOCOL_H

#include "runtime/common/plan/PlanFile.h"
#include "test/fuzz/FieldMutator.h"
#include "test/fuzz/Script.h"

namespace graphc::test {

/// One task that trains and evaluates, or a parameter server and two workers.
const plan::LoadedPlan &protocolPlan(bool several);
/// In memory where there is room for that; goes with the process.
const std::string &scratchFolder();

/// Changes one field of a line that is a message.
template <class Message> void mutateMessage(std::string &bytes, FieldRandom &random) {
  Message message;
  (void)message.ParseFromString(bytes);
  mutateField(message, random);
  bytes = message.SerializeAsString();
}

} // namespace graphc::test
#endif
