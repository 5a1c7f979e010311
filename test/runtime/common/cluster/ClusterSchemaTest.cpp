// The committed schema, the examples and the parser say the same.
#include "runtime/common/cluster/ClusterConfig.h"
#include "runtime/common/device/DeviceKinds.h"
#include "test/runtime/common/cluster/SchemaCheck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace graphc::cluster;

namespace {

const std::string folder = GRAPHC_CLUSTER_DIR;

std::string read(const std::filesystem::path &path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ClusterSchema, EveryExampleParsesAndFitsTheSchema) {
  auto schema =
      graphc::base::parseJson(read(folder + "/cluster.schema.json"), "cluster.schema.json");
  ASSERT_TRUE(schema.ok()) << schema.status();
  size_t count = 0;
  for (const std::string &from : {folder + "/examples", folder + "/../../../examples"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(from)) {
      if (entry.path().extension() != ".json")
        continue;
      auto config = readClusterFile(entry.path());
      EXPECT_TRUE(config.ok()) << config.status();
      auto value = graphc::base::parseJson(read(entry.path()), entry.path().string());
      ASSERT_TRUE(value.ok()) << value.status();
      EXPECT_EQ(SchemaCheck(*schema).check(*value), "") << entry.path();
      ++count;
    }
  EXPECT_GE(count, 11u);
}

std::vector<std::string> propertiesOf(const JsonValue &object) {
  std::vector<std::string> names;
  if (const JsonValue *properties = object.find("properties"))
    for (const JsonMember &member : properties->members)
      names.push_back(member.key);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(ClusterSchema, PropertiesAreTheParsersKeys) {
  auto schema =
      graphc::base::parseJson(read(folder + "/cluster.schema.json"), "cluster.schema.json");
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (const ClusterKeys &keys : clusterKeys()) {
    const JsonValue *object = &*schema;
    if (keys.object == "task")
      object = object->find("properties")->find("task");
    else if (!keys.object.empty())
      object = object->find("definitions")->find(keys.object);
    ASSERT_NE(object, nullptr) << keys.object;
    std::vector<std::string> expected = keys.keys;
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(propertiesOf(*object), expected) << "object \"" << keys.object << "\"";
  }
}

TEST(ClusterSchema, TakesEveryKindOfDevice) {
  auto schema =
      graphc::base::parseJson(read(folder + "/cluster.schema.json"), "cluster.schema.json");
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (const graphc::device::DeviceKind &kind : graphc::device::kinds()) {
    const std::string name(kind.name),
        text = R"({"cluster": {"worker": 1}, "devices": {"worker": [")" + name + R"(:0"]}})";
    auto value = graphc::base::parseJson(text, "cluster.json");
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(SchemaCheck(*schema).check(*value), "") << name;
  }
}

TEST(ClusterSchema, MissingFileIsNamed) {
  EXPECT_EQ(
      readClusterFile("/nowhere/cluster.json").status().message(),
      "/nowhere/cluster.json: cannot open the cluster description: No such file or directory");
}

} // namespace
