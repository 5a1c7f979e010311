//===- SchemaCheck.h - does a JSON value fit a JSON schema? -------------------------*- C++ -*-===//
//
// The part of draft 7 that cluster.schema.json uses; a keyword that is not known here is a finding,
// so that the schema cannot say what is not checked.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_RUNTIME_COMMON_CLUSTER_SCHEMACHECK_H
#define GRAPHC_TEST_RUNTIME_COMMON_CLUSTER_SCHEMACHECK_H

#include "runtime/common/base/Json.h"

namespace graphc::cluster {

using base::JsonMember;
using base::JsonValue;

class SchemaCheck {
public:
  explicit SchemaCheck(const JsonValue &schema) : root_(schema) {}
  /// "" where `value` fits, else the first thing that does not, with its place.
  std::string check(const JsonValue &value) const { return check(value, root_); }

private:
  std::string check(const JsonValue &value, const JsonValue &schema) const;
  std::string keyword(const JsonValue &value, const JsonValue &schema,
                      const JsonMember &rule) const;
  std::string checkMembers(const JsonValue &value, const JsonValue &schema) const;
  bool fits(const JsonValue &value, const JsonValue &schema) const {
    return check(value, schema).empty();
  }

  const JsonValue &root_;
};

} // namespace graphc::cluster
#endif
