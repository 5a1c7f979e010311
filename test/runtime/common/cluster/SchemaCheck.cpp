#include "test/runtime/common/cluster/SchemaCheck.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <regex>

namespace graphc::cluster {
namespace {

using Kind = JsonValue::Kind;

bool isNumber(const JsonValue &value) { return value.is(Kind::Integer) || value.is(Kind::Float); }

bool equal(const JsonValue &a, const JsonValue &b) {
  if (isNumber(a) && isNumber(b))
    return a.number == b.number;
  if (a.kind != b.kind || a.boolean != b.boolean || a.string != b.string)
    return false;
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    equal) &&
         std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
                    [](const JsonMember &x, const JsonMember &y) {
                      return x.key == y.key && equal(x.value, y.value);
                    });
}

bool hasType(const JsonValue &value, const std::string &type) {
  switch (value.kind) {
  case Kind::Null:
    return type == "null";
  case Kind::Bool:
    return type == "boolean";
  case Kind::Integer:
    return type == "integer" || type == "number";
  case Kind::Float:
    return type == "number";
  case Kind::String:
    return type == "string";
  case Kind::Array:
    return type == "array";
  case Kind::Object:
    return type == "object";
  }
  return false;
}

JsonValue stringOf(const JsonMember &member) {
  JsonValue value;
  value.kind = Kind::String;
  value.string = member.key;
  value.position = member.position;
  return value;
}

std::string wrong(const JsonValue &value, const std::string &why) {
  return absl::StrCat(value.position.line, ":", value.position.column, ": ", value.describe(), " ",
                      why);
}

} // namespace

std::string SchemaCheck::check(const JsonValue &value, const JsonValue &schema) const {
  if (schema.is(Kind::Bool))
    return schema.boolean ? "" : wrong(value, "is not wanted here");
  for (const JsonMember &rule : schema.members)
    if (std::string finding = keyword(value, schema, rule); !finding.empty())
      return finding;
  return value.is(Kind::Object) ? checkMembers(value, schema) : "";
}

/// properties, and additionalProperties for all other members.
std::string SchemaCheck::checkMembers(const JsonValue &value, const JsonValue &schema) const {
  const JsonValue *properties = schema.find("properties"),
                  *others = schema.find("additionalProperties");
  for (const JsonMember &member : value.members) {
    const JsonValue *own = properties ? properties->find(member.key) : nullptr;
    if (const JsonValue *rule = own ? own : others)
      if (std::string finding = check(member.value, *rule); !finding.empty())
        return absl::StrCat(member.key, ": ", finding);
  }
  return "";
}

std::string SchemaCheck::keyword(const JsonValue &value, const JsonValue &schema,
                                 const JsonMember &rule) const {
  const std::string &key = rule.key;
  const JsonValue &bound = rule.value;
  auto unless = [&](bool good) {
    return good ? std::string() : wrong(value, absl::StrCat("breaks ", key));
  };
  if (key == "$schema" || key == "title" || key == "description" || key == "definitions" ||
      key == "properties" || key == "additionalProperties" || key == "then" || key == "else")
    return "";
  if (key == "$ref") { // "#/definitions/NAME"
    const JsonValue *definitions = root_.find("definitions");
    const JsonValue *target =
        definitions ? definitions->find(bound.string.substr(bound.string.rfind('/') + 1)) : nullptr;
    return target ? check(value, *target) : absl::StrCat("the schema lacks ", bound.string);
  }
  auto holds = [&](const JsonValue &one) { return fits(value, one); };
  if (key == "type")
    return unless(hasType(value, bound.string));
  if (key == "enum")
    return unless(std::any_of(bound.elements.begin(), bound.elements.end(),
                              [&](const JsonValue &known) { return equal(known, value); }));
  if (key == "oneOf")
    return unless(std::count_if(bound.elements.begin(), bound.elements.end(), holds) == 1);
  if (key == "allOf")
    return unless(std::all_of(bound.elements.begin(), bound.elements.end(), holds));
  if (key == "if") {
    const JsonValue *next = schema.find(holds(bound) ? "then" : "else");
    return next ? check(value, *next) : "";
  }
  if (key == "minimum" || key == "maximum" || key == "exclusiveMinimum") {
    double n = value.number;
    return unless(!isNumber(value) || (key == "minimum"   ? n >= bound.number
                                       : key == "maximum" ? n <= bound.number
                                                          : n > bound.number));
  }
  if (key == "pattern")
    return unless(!value.is(Kind::String) ||
                  std::regex_search(value.string, std::regex(bound.string)));
  if (key == "minLength" || key == "maxLength") {
    auto length = static_cast<int64_t>(value.string.size());
    return unless(!value.is(Kind::String) ||
                  (key == "minLength" ? length >= bound.integer : length <= bound.integer));
  }
  if (key == "minItems")
    return unless(!value.is(Kind::Array) ||
                  static_cast<int64_t>(value.elements.size()) >= bound.integer);
  if (key == "minProperties")
    return unless(!value.is(Kind::Object) ||
                  static_cast<int64_t>(value.members.size()) >= bound.integer);
  if (key == "uniqueItems") {
    for (size_t i = 0; i < value.elements.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (equal(value.elements[i], value.elements[j]))
          return wrong(value.elements[i], "is there twice");
    return "";
  }
  if (key == "items" || key == "propertyNames") {
    for (const JsonValue &element : value.elements)
      if (std::string finding = key == "items" ? check(element, bound) : ""; !finding.empty())
        return finding;
    for (const JsonMember &member : value.members)
      if (std::string finding = key == "items" ? "" : check(stringOf(member), bound);
          !finding.empty())
        return finding;
    return "";
  }
  if (key == "required") {
    for (const JsonValue &name : bound.elements)
      if (value.is(Kind::Object) && !value.find(name.string))
        return wrong(value, absl::StrCat("lacks ", name.string));
    return "";
  }
  return absl::StrCat("the schema has the keyword ", key, ", which SchemaCheck does not know");
}

} // namespace graphc::cluster
