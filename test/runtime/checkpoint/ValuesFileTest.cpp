#include "runtime/checkpoint/WarmStart.h"
#include "runtime/common/plan/PlanTypes.h"
#include "test/runtime/checkpoint/Tensors.h"
#include "test/runtime/data/TestFiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace graphc;
using namespace graphc::checkpoint;
using data::npyFile;
using data::zipFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string floats(std::vector<float> values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(float)};
}

const std::string rows = floats({1, 2, 3, 4, 5, 6});
const std::string matrix = npyFile("<f4", "(3, 2)", rows);

std::string withHeaderLength(std::string header, const std::string &data) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), 8) + header + data;
}

std::string message(const absl::Status &status) { return std::string(status.message()); }

/// What a file is refused for when it is opened; "": it is not.
std::string openError(const std::string &content, const std::string &path = "f.npz") {
  return message(ValuesFile::parse(content, path).status());
}

/// And what its tensor `name` is, when it is asked for its type or read.
std::string readError(const std::string &content, const plan::TensorType &type,
                      const std::string &name = "w", const std::string &path = "f.npz") {
  auto file = ValuesFile::parse(content, path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? message(file->read({name, type})) : "";
}

std::string readRows(const ValuesFile &file, uint64_t offset, uint64_t bytes) {
  std::string out(bytes, '?');
  absl::Status status = file.read({"w", tensorType(plan::F32, {3, 2}), out.data(), bytes, offset});
  EXPECT_TRUE(status.ok()) << status;
  return out;
}

const std::string safe = withHeaderLength(
    R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[3,2],"data_offsets":[2,26]},"half":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})",
    "hh" + rows);

TEST(ValuesFile, GivesWholeVariablesAndRowsOfThem) {
  for (bool compress : {false, true})
    for (bool wide : {false, true}) {
      const std::string content = zipFile(
          {{"w.npy", matrix}, {"a/b.npy", npyFile("<i8", "()", "12345678")}, {"note.txt", "x"}},
          compress, wide);
      auto file = ValuesFile::parse(content, "f.npz");
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_THAT(file->names(), ElementsAre("a/b", "w"));
      EXPECT_EQ(plan::typeText(*file->typeOf("w")), "tensor<3x2xf32>");
      EXPECT_EQ(plan::typeText(*file->typeOf("a/b")), "tensor<i64>");
      EXPECT_EQ(readRows(*file, 0, 24), rows);
      EXPECT_EQ(readRows(*file, 8, 8), rows.substr(8, 8));
      EXPECT_EQ(readRows(*file, 16, 8), rows.substr(16));
    }
  auto file = ValuesFile::parse(safe, "f.safetensors");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->names(), ElementsAre("half", "w"));
  EXPECT_EQ(readRows(*file, 0, 24), rows);
  EXPECT_EQ(readRows(*file, 8, 16), rows.substr(8));
}

TEST(ValuesFile, PassesLargeArraysPieceByPiece) {
  std::string elements(size_t(3) << 20, '\0');
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = char(i * 7919 >> 8);
  const std::string content = zipFile({{"w.npy", npyFile("|u1", "(3145728,)", elements)}}, true);
  auto file = ValuesFile::parse(content, "f.npz");
  ASSERT_TRUE(file.ok()) << file.status();
  std::string out(1500000, '?');
  EXPECT_TRUE(
      file->read({"w", tensorType(plan::U8, {3 << 20}), out.data(), out.size(), 1000001}).ok());
  EXPECT_TRUE(out == elements.substr(1000001, out.size()));
}

TEST(ValuesFile, RefusesOtherElementsAndOrdersByName) {
  const plan::TensorType type = tensorType(plan::F32, {3, 2});
  const auto error = [&](const std::string &array) {
    return readError(zipFile({{"w.npy", array}}, false), type);
  };
  EXPECT_EQ(error(npyFile("<f4", "(3, 2)", rows, /*fortran=*/true)),
            "f.npz:w: not a usable .npy: column-major order; save numpy.ascontiguousarray(array)");
  EXPECT_THAT(error(npyFile(">f4", "(3, 2)", rows)),
              HasSubstr("f.npz:w: not a usable .npy: element type '>f4'; known are"));
  EXPECT_THAT(error(npyFile(">f4", "(3, 2)", rows)), HasSubstr("array.astype("));
  EXPECT_THAT(error(npyFile("<f2", "(3, 2)", rows.substr(12))), HasSubstr("element type '<f2'"));
  EXPECT_EQ(error(npyFile("<f8", "(3, 2)", rows + rows)),
            "f.npz: w is tensor<3x2xf64>, the plan has tensor<3x2xf32>");
  EXPECT_EQ(error(npyFile("<f4", "(2, 3)", rows)),
            "f.npz: w is tensor<2x3xf32>, the plan has tensor<3x2xf32>");
  EXPECT_EQ(readError(zipFile({{"w.npy", npyFile("|b1", "(2,)", "\1\2")}}, false),
                      tensorType(plan::I1, {2})),
            "f.npz:w: a boolean that is neither 0 nor 1");
  EXPECT_EQ(readError(withHeaderLength(R"({"w":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})",
                                       "\2"),
                      tensorType(plan::I1, {1}), "w", "f.safetensors"),
            "f.safetensors:w: a boolean that is neither 0 nor 1");
  EXPECT_THAT(readError(safe, tensorType(plan::F32, {1}), "half", "f.safetensors"),
              HasSubstr("f.safetensors:half: elements of type F16; known are BOOL"));
}

TEST(ValuesFile, RefusesHostileArchives) {
  const plan::TensorType type = tensorType(plan::F32, {3, 2});
  EXPECT_THAT(openError("", "f.txt"),
              HasSubstr("f.txt: a file of values is FILE.npz or FILE.safetensors"));
  EXPECT_THAT(openError(""), HasSubstr("f.npz: not a whole .npz"));
  EXPECT_EQ(openError(zipFile({{"w.npy", matrix}, {"w.npy", matrix}}, false)),
            "f.npz: \"w\" is there twice");
  EXPECT_EQ(openError(zipFile({{std::string("w\0x.npy", 7), matrix}}, false)),
            "f.npz: a name with a NUL: \"w\\u0000x\"");
  // Its length and its elements do not fit, or cannot be.
  for (bool compress : {false, true}) {
    const auto error = [&](const std::string &array) {
      return readError(zipFile({{"w.npy", array}}, compress), type);
    };
    EXPECT_THAT(error(matrix.substr(0, matrix.size() - 1)),
                HasSubstr("its shape needs 24 bytes, its elements have 23"));
    EXPECT_THAT(error(matrix + "x"), HasSubstr("its shape needs 24 bytes, its elements have 25"));
    EXPECT_THAT(error(npyFile("<f4", "(4611686018427387904,)", rows)),
                HasSubstr("more bytes than there can be"));
    EXPECT_THAT(error(npyFile("<f4", "(4294967296, 4294967296, 4294967296)", rows)),
                HasSubstr("more bytes than there can be"));
    EXPECT_THAT(error("PK"), HasSubstr("magic number"));
    EXPECT_THAT(error(""), HasSubstr("magic number"));
  }
  // The directory lies: encrypted, another method, sizes that are not there, a sum that is not so,
  // more bytes than it says.
  const std::string archive = zipFile({{"w.npy", matrix}}, false),
                    packed = zipFile({{"w.npy", matrix}}, true);
  const auto changed = [&](std::string content, size_t at, const std::string &bytes) {
    content.replace(content.find("PK\1\2") + at, bytes.size(), bytes);
    return readError(content, type);
  };
  EXPECT_THAT(changed(archive, 8, "\1"), HasSubstr("the entry is encrypted"));
  EXPECT_THAT(changed(archive, 10, "\x0c"),
              HasSubstr("compressed by method 12; expected stored or deflated"));
  EXPECT_THAT(changed(archive, 20, "\xff\xff\xff\x7f"), HasSubstr("bytes are not all there"));
  EXPECT_THAT(changed(archive, 24, "\xff\xff\xff\xff"), HasSubstr("no 64-bit sizes"));
  EXPECT_THAT(changed(archive, 42, "\xff\xff\xff\x7f"), HasSubstr("not where the directory says"));
  EXPECT_THAT(changed(archive, 16, "\1\2\3\4"), HasSubstr("does not have the sum"));
  EXPECT_THAT(changed(packed, 24, data::littleEndian(matrix.size() - 4, 4)),
              HasSubstr("has more bytes than its directory says"));
  EXPECT_THAT(changed(packed, 24, data::littleEndian(matrix.size() + 4, 4)),
              HasSubstr("ends early"));
  // A bomb: 16 MiB in a few KiB, of which the directory says that they are 24.
  std::string bomb =
      zipFile({{"w.npy", npyFile("<f4", "(3, 2)", std::string(size_t(16) << 20, '\0'))}}, true);
  EXPECT_THAT(changed(bomb, 24, data::littleEndian(matrix.size(), 4)),
              HasSubstr("has more bytes than its directory says"));
  std::string wide = zipFile({{"w.npy", matrix}}, false, /*wide=*/true); // of 2^62 bytes
  wide.replace(wide.rfind(data::littleEndian(matrix.size(), 8)), 8,
               data::littleEndian(uint64_t(1) << 62, 8));
  EXPECT_THAT(readError(wide, type), HasSubstr("bytes are not all there"));
}

TEST(ValuesFile, RefusesHostileSafetensors) {
  const auto error = [](const std::string &header, const std::string &data = "12345678") {
    return openError(withHeaderLength(header, data), "f.safetensors");
  };
  EXPECT_THAT(openError("", "f.safetensors"), HasSubstr("fewer than 8 bytes"));
  EXPECT_THAT(openError(std::string(8, '\xff'), "f.safetensors"),
              HasSubstr("its header is longer"));
  EXPECT_THAT(
      error(
          R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
      HasSubstr("duplicate key \"w\""));
  EXPECT_THAT(error(R"({"w\u0000":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
              HasSubstr("a name with a NUL"));
  EXPECT_THAT(error(R"({"w":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,8]}})"),
              HasSubstr("offsets that do not fit"));
  EXPECT_THAT(error(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})"),
              HasSubstr("offsets that do not fit"));
  EXPECT_THAT(error(R"({"w":{"dtype":"F8","shape":[2],"data_offsets":[0,4611686018427387904]}})"),
              HasSubstr("offsets that do not fit"));
  EXPECT_THAT(error(R"({"w":{"dtype":"F8","shape":[2],"data_offsets":[8,0]}})"),
              HasSubstr("offsets that do not fit"));
  EXPECT_THAT(error(R"({"w":{"dtype":"F8","shape":[2],"data_offsets":[0,4]}})"),
              HasSubstr("bytes follow"));
  std::string many = R"({"w":{"dtype":"F32","shape":[)";
  for (int i = 0; i < (1 << 20); ++i)
    many += "0,";
  EXPECT_THAT(error(many + R"(0],"data_offsets":[0,0]}})", ""), HasSubstr("values"));
}

TEST(ValuesFile, EveryByteAndEveryLengthIsAnErrorOrAFile) {
  const plan::TensorType type = tensorType(plan::F32, {3, 2});
  const auto tryOut = [&](std::string content, const std::string &path) {
    auto file = ValuesFile::parse(content, path);
    std::string out(24, '\0');
    if (file.ok() && file->has("w") && file->read({"w", type, out.data(), 24}).ok() &&
        path == "f.npz")
      EXPECT_EQ(out, rows) << content.size(); // the archive's sums
  };
  for (const auto &[path, content] : {std::pair("f.npz", zipFile({{"w.npy", matrix}}, false)),
                                      std::pair("f.npz", zipFile({{"w.npy", matrix}}, true)),
                                      std::pair("f.npz", zipFile({{"w.npy", matrix}}, true, true)),
                                      std::pair("f.safetensors", safe)})
    for (size_t i = 0; i < content.size(); ++i) {
      tryOut(content.substr(0, i), path);
      for (char bits : {'\1', '\x80', '\xff'}) {
        std::string changed = content;
        changed[i] ^= bits;
        tryOut(changed, path);
      }
    }
}

/// A model of three variables, of which w has no value of its own.
class OriginTest : public testing::Test {
protected:
  OriginTest() {
    for (auto [name, type] :
         {std::pair("w", tensorType(plan::F32, {3, 2})), std::pair("v", tensorType(plan::F32, {4})),
          std::pair("global_step", tensorType(plan::I64))}) {
      plan::Variable *variable = plan.add_variables();
      variable->set_name(name);
      *variable->mutable_type() = type;
      variable->set_global_step(std::string(name) == "global_step");
    }
    plan.mutable_variables(0)->mutable_initializer()->set_uninitialized(true);
  }
  std::string write(const std::string &name, const std::string &content) {
    writeAll(folder / name, content);
    return folder / name;
  }
  absl::StatusOr<WarmStart> begin(const Entries &entries, const std::string &name = "f.npz") {
    std::vector<std::string> warnings;
    auto origin = WarmStartSource::find(write(name, zipFile(entries, true)), warnings);
    return origin.ok() ? origin->beginnings(plan) : origin.status();
  }
  std::string error(const Entries &entries) { return message(begin(entries).status()); }

  TemporaryFolder folder;
  plan::Plan plan;
};

TEST_F(OriginTest, TakesWhatFitsByNameAndType) {
  auto made = begin({{"w.npy", matrix},
                     {"v.npy", npyFile("<f4", "(5,)", floats({1, 2, 3, 4, 5}))},
                     {"global_step.npy", npyFile(">f2", "(1,)", "ab")}});
  ASSERT_TRUE(made.ok()) << made.status(); // of what counts steps nothing is looked at
  EXPECT_THAT(made->sources, ElementsAre(Pair("w", "w")));
  EXPECT_THAT(made->others, ElementsAre("v (tensor<5xf32> there, tensor<4xf32> in the plan)"));
}

TEST_F(OriginTest, SaysWhatIsMissing) {
  const std::string v = npyFile("<f4", "(4,)", floats({1, 2, 3, 4}));
  EXPECT_THAT(
      error({{"v.npy", v}}),
      HasSubstr(
          "f.npz lacks the values of a variable that has none of its own (#graph.uninitialized): w (not there)"));
  EXPECT_THAT(error({{"v.npy", v}, {"w.npy", npyFile("<f4", "(2, 3)", rows)}}),
              HasSubstr("w (tensor<2x3xf32> there, tensor<3x2xf32> in the plan)"));
  EXPECT_THAT(
      error({{"x.npy", v}}),
      HasSubstr(
          "f.npz has no variable of the model by name and type; it has x, the model w (not there), v (not there)"));
  // The same layer in other elements is a mistake, whether it has a value of its own or not.
  EXPECT_THAT(
      error({{"w.npy", matrix}, {"v.npy", npyFile("<f8", "(4,)", rows + floats({1, 2}))}}),
      HasSubstr(
          "which it cannot give: v is tensor<4xf64> there, tensor<4xf32> in the plan; save array.astype("));
  EXPECT_THAT(error({{"v.npy", v}, {"w.npy", npyFile("<f4", "(3, 2)", rows, true)}}),
              HasSubstr("save numpy.ascontiguousarray(array)"));
  plan.mutable_variables(0)->mutable_type()->set_dtype(plan::BF16);
  EXPECT_THAT(error({{"w.npy", matrix}}),
              HasSubstr("NumPy has no bf16, give it in a FILE.safetensors"));
}

TEST_F(OriginTest, IsTheFileOrAFolder) {
  std::vector<std::string> warnings;
  const auto error = [&](const std::string &path) {
    return message(WarmStartSource::find(path, warnings).status());
  };
  EXPECT_THAT(error(folder / "none.npz"), HasSubstr("none.npz: No such file or directory"));
  EXPECT_EQ(error(folder / "none"), "there is no checkpoint that is whole");
  EXPECT_THAT(error(write("weights.pt", "x")),
              HasSubstr("weights.pt: a file of values is FILE.npz or FILE.safetensors"));
  auto origin = WarmStartSource::find(write("f.npz", zipFile({{"w.npy", matrix}}, true)), warnings);
  ASSERT_TRUE(origin.ok() && origin->file()) << origin.status();
  EXPECT_EQ(origin->file()->bytes(), readAll(folder / "f.npz").size());
  EXPECT_TRUE(origin->file()->crc32c().ok());
}

TEST_F(OriginTest, ADamagedTensorIsFoundBeforeItIsTaken) {
  plan.mutable_variables(0)->mutable_type()->set_dtype(plan::U8);
  plan.mutable_variables(0)->mutable_type()->clear_shape();
  plan.mutable_variables(0)->mutable_type()->add_shape(200000);
  std::string content =
      zipFile({{"w.npy", npyFile("|u1", "(200000,)", std::string(200000, 'x'))}}, false);
  content[150000] ^= 1; // far behind the header
  std::vector<std::string> warnings;
  auto origin = WarmStartSource::find(write("f.npz", content), warnings);
  ASSERT_TRUE(origin.ok()) << origin.status();
  auto made = origin->beginnings(plan);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_THAT(message(origin->check(*made, plan)), HasSubstr("does not have the sum"));
}

} // namespace
