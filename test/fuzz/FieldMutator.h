// Changes of messages for fuzz targets that know the schema, so that changes get behind the parser.
#ifndef GRAPHC_TEST_FUZZ_FIELDMUTATOR_H
#define GRAPHC_TEST_FUZZ_FIELDMUTATOR_H

#include <google/protobuf/message.h>

#include <random>

namespace graphc::test {

using FieldRandom = std::minstd_rand;

/// Changes one field somewhere below `message`.
void mutateField(google::protobuf::Message &message, FieldRandom &random);

} // namespace graphc::test
#endif
