#include "test/fuzz/FieldMutator.h"

#include <google/protobuf/message.h>

#include <cstring>

namespace graphc::test {
namespace {
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

uint64_t interesting(FieldRandom &random, uint64_t old) {
  constexpr uint64_t values[] = {
      0,         1,          2,          3,          7,          63,         64,
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

/// ASCII, as strings of a message must be UTF-8.
std::string otherText(FieldRandom &random, std::string text) {
  switch (random() % 4) {
  case 0:
    return std::string(random() % 4, 'z');
  case 1:
    return text + text;
  case 2:
    return text.substr(0, text.size() / 2);
  default:
    if (!text.empty())
      text[random() % text.size()] = char(random() % 128);
    return text;
  }
}
} // namespace

void mutateField(Message &message, FieldRandom &random) {
  const auto *descriptor = message.GetDescriptor();
  const Reflection *reflection = message.GetReflection();
  if (descriptor->field_count() == 0)
    return;
  const FieldDescriptor *field =
      descriptor->field(int(random() % unsigned(descriptor->field_count())));
  if (field->is_repeated()) {
    int size = reflection->FieldSize(message, field);
    if (size > 1 && random() % 8 == 0)
      return reflection->SwapElements(&message, field, int(random() % unsigned(size)),
                                      int(random() % unsigned(size)));
    if (size > 0 && random() % 8 == 0)
      return reflection->RemoveLast(&message, field);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (size == 0 || random() % 16 == 0) {
        Message *added = reflection->AddMessage(&message, field);
        if (size)
          added->CopyFrom(
              reflection->GetRepeatedMessage(message, field, int(random() % unsigned(size))));
        return;
      }
      return mutateField(
          *reflection->MutableRepeatedMessage(&message, field, int(random() % unsigned(size))),
          random);
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
          &message, field, i,
          uint32_t(interesting(random, reflection->GetRepeatedUInt32(message, field, i))));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection->SetRepeatedInt64(
          &message, field, i,
          int64_t(interesting(random, uint64_t(reflection->GetRepeatedInt64(message, field, i)))));
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
    return mutateField(*reflection->MutableMessage(&message, field), random);
  case FieldDescriptor::CPPTYPE_UINT32:
    return reflection->SetUInt32(
        &message, field, uint32_t(interesting(random, reflection->GetUInt32(message, field))));
  case FieldDescriptor::CPPTYPE_UINT64:
    return reflection->SetUInt64(&message, field,
                                 interesting(random, reflection->GetUInt64(message, field)));
  case FieldDescriptor::CPPTYPE_INT64:
    return reflection->SetInt64(
        &message, field,
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
    return reflection->SetString(&message, field,
                                 otherText(random, reflection->GetString(message, field)));
  default:
    return;
  }
}

} // namespace graphc::test
