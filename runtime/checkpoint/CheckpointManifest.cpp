#include "runtime/checkpoint/CheckpointManifest.h"

#include "runtime/common/base/Json.h"
#include "runtime/common/base/Sha256.h"
#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/base/TextUtils.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <functional>
#include <set>

namespace graphc::checkpoint {
namespace {

using base::JsonMember;
using base::JsonValue;
using base::quoteJson;
using Kind = JsonValue::Kind;

constexpr plan::DataType types[] = {plan::I1,  plan::I8,  plan::U8,   plan::I32, plan::I64,
                                    plan::F32, plan::F64, plan::BF16, plan::U32};
constexpr std::string_view digestStart = ",\n  \"sha256\": \"", digestEnd = "\"\n}\n";
constexpr size_t maxManifest = 64 << 20;

bool isHex(std::string_view text, size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
         });
}

/// Reads members of one object by name; the first thing that is wrong stays.
class ObjectReader {
public:
  ObjectReader(const JsonValue &value, std::string_view file, std::string_view what,
               std::vector<std::string> keys)
      : value_(value), file_(file), what_(what) {
    if (!value.is(Kind::Object)) {
      fail(value.position,
           absl::StrCat("expected an object for ", text(what), ", found ", value.describe()));
      return;
    }
    for (const JsonMember &member : value.members)
      if (std::find(keys.begin(), keys.end(), member.key) == keys.end())
        fail(member.position,
             absl::StrCat("unknown key ", quoteJson(member.key), " in ", text(what)));
  }
  const JsonValue *member(std::string_view key, Kind kind, std::string_view expected) {
    const JsonValue *found = value_.find(key);
    if (!found)
      fail(value_.position, absl::StrCat(text(what_), " lacks ", quoteJson(key)));
    else if (!found->is(kind))
      fail(found->position, absl::StrCat("expected ", text(expected), " for ", quoteJson(key),
                                         ", found ", found->describe()));
    return found && found->is(kind) ? found : nullptr;
  }
  uint64_t count(std::string_view key) {
    const JsonValue *found = member(key, Kind::Integer, "a count");
    if (found && found->integer < 0)
      fail(found->position,
           absl::StrCat("expected a count for ", quoteJson(key), ", found ", found->describe()));
    return found && found->integer >= 0 ? static_cast<uint64_t>(found->integer) : 0;
  }
  std::string string(std::string_view key) {
    const JsonValue *found = member(key, Kind::String, "a string");
    return found ? found->string : "";
  }
  void fail(base::JsonPosition at, std::string_view message) {
    if (state_.ok())
      state_ = base::errorAt(file_, at, message);
  }
  const absl::Status &status() const { return state_; }

private:
  static absl::string_view text(std::string_view s) { return {s.data(), s.size()}; }
  const JsonValue &value_;
  std::string_view file_, what_;
  absl::Status state_;
};

std::string encodeVariable(const VariableInfo &variable) {
  std::string text = absl::StrCat("{\"name\": ", quoteJson(variable.name), ", \"type\": \"",
                                  plan::dataTypeName(variable.type.dtype()), "\", \"shape\": [",
                                  absl::StrJoin(variable.type.shape(), ", "), "]");
  if (variable.part)
    absl::StrAppend(&text, ", \"part_of\": {\"name\": ", quoteJson(variable.part->of()),
                    ", \"shape\": [", absl::StrJoin(variable.part->type().shape(), ", "),
                    "], \"row\": ", variable.part->row(), "}");
  return text + "}";
}

absl::Status readShape(const JsonValue &shape, std::string_view file, plan::TensorType &type) {
  for (const JsonValue &size : shape.elements) {
    if (!size.is(Kind::Integer) || size.integer < 0)
      return base::errorAt(file, size.position,
                           absl::StrCat("expected a size, found ", size.describe()));
    type.add_shape(size.integer);
  }
  if (shape.elements.size() > 32 || !plan::tensorBytes(type))
    return base::errorAt(file, shape.position, "a shape of more than 32 dimensions or 2^62 bytes");
  return absl::OkStatus();
}

absl::StatusOr<VariableInfo> readVariable(const JsonValue &value, std::string_view file) {
  ObjectReader reader(value, file, "a variable", {"name", "type", "shape", "part_of"});
  VariableInfo info;
  info.name = reader.string("name");
  std::string type = reader.string("type");
  const JsonValue *shape = reader.member("shape", Kind::Array, "an array");
  GRAPHC_RETURN_IF_ERROR(reader.status());
  for (plan::DataType known : types)
    if (type == plan::dataTypeName(known))
      info.type.set_dtype(known);
  if (info.name.empty() || info.type.dtype() == plan::DATA_TYPE_INVALID)
    return base::errorAt(file, value.position,
                         "a variable without a name or without a usable type");
  GRAPHC_RETURN_IF_ERROR(readShape(*shape, file, info.type));
  const JsonValue *part = value.find("part_of");
  if (!part)
    return info;
  ObjectReader whole(*part, file, "the whole of a part", {"name", "shape", "row"});
  info.part.emplace();
  info.part->set_of(whole.string("name"));
  const JsonValue *wholeShape = whole.member("shape", Kind::Array, "an array");
  info.part->set_row(whole.count("row"));
  GRAPHC_RETURN_IF_ERROR(whole.status());
  info.part->mutable_type()->set_dtype(info.type.dtype());
  GRAPHC_RETURN_IF_ERROR(readShape(*wholeShape, file, *info.part->mutable_type()));
  if (info.part->of().empty() || !plan::isPartOf(info.type, *info.part))
    return base::errorAt(file, part->position,
                         absl::StrCat("variable ", quoteJson(info.name), " is ",
                                      plan::typeText(info.type), ", which is not the rows from ",
                                      info.part->row(), " of ", plan::typeText(info.part->type())));
  return info;
}

absl::StatusOr<ShardInfo> readShard(const JsonValue &value, std::string_view file) {
  ObjectReader reader(value, file, "a shard", {"file", "bytes", "crc32c", "sha256", "variables"});
  ShardInfo shard;
  shard.file = reader.string("file");
  shard.bytes = reader.count("bytes");
  std::string crc = reader.string("crc32c");
  shard.sha256 = reader.string("sha256");
  const JsonValue *variables = reader.member("variables", Kind::Array, "an array");
  GRAPHC_RETURN_IF_ERROR(reader.status());
  if (!isShardFile(shard.file))
    return base::errorAt(file, value.position,
                         absl::StrCat("not the name of a shard: ", quoteJson(shard.file)));
  if (!isHex(crc, 8) || !isHex(shard.sha256, 64))
    return base::errorAt(file, value.position, "a shard with a malformed checksum");
  shard.crc32c = static_cast<uint32_t>(std::stoul(crc, nullptr, 16));
  for (const JsonValue &variable : variables->elements) {
    GRAPHC_ASSIGN_OR_RETURN(VariableInfo info, readVariable(variable, file));
    shard.variables.push_back(std::move(info));
  }
  return shard;
}

/// Whether they fit the position is for who goes on from there (data/ConsumedRanges.h).
absl::Status readTaken(const JsonValue &taken, std::string_view file,
                       CheckpointManifest &manifest) {
  if (!taken.is(Kind::Object))
    return base::errorAt(file, taken.position,
                         "expected an object of samples that were taken ahead of others");
  for (const JsonMember &stream : taken.members) {
    std::vector<uint64_t> &ahead = manifest.dataTaken[stream.key];
    if (!stream.value.is(Kind::Array) || stream.value.elements.empty())
      return base::errorAt(file, stream.value.position,
                           "expected ranges of samples: begin, end, begin, end, …");
    for (const JsonValue &end : stream.value.elements) {
      if (!end.is(Kind::Integer) || end.integer < 0)
        return base::errorAt(file, end.position,
                             absl::StrCat("expected a sample's place, found ", end.describe()));
      ahead.push_back(static_cast<uint64_t>(end.integer));
    }
    if (!manifest.dataPositions.contains(stream.key))
      return base::errorAt(file, stream.position, "samples of a stream that has no position");
    if (ahead.size() % 2 ||
        std::adjacent_find(ahead.begin(), ahead.end(), std::greater_equal<>()) != ahead.end())
      return base::errorAt(file, stream.value.position,
                           "ranges of samples without an end, or out of order");
  }
  return absl::OkStatus();
}

} // namespace

bool isShardFile(std::string_view name) {
  return name.size() <= 200 && !name.empty() && name[0] != '.' &&
         absl::EndsWith(absl::string_view(name.data(), name.size()), ".safetensors") &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

std::map<std::string, std::vector<CheckpointManifest::Piece>, std::less<>>
CheckpointManifest::pieces() const {
  std::map<std::string, std::vector<Piece>, std::less<>> result;
  for (const ShardInfo &shard : shards)
    for (const VariableInfo &info : shard.variables) {
      uint64_t begin = info.part ? plan::partOffset(info.type, *info.part) : 0;
      result[info.modelName()].push_back(
          {&shard, &info, begin, begin + plan::tensorBytes(info.type).value_or(0)});
    }
  for (auto &[name, pieces] : result)
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece &a, const Piece &b) { return a.begin < b.begin; });
  return result;
}

/// Every variable of the model is there once, and all of it.
static absl::Status checkPieces(const CheckpointManifest &manifest, std::string_view file) {
  auto damaged = [&](auto... what) {
    return absl::DataLossError(
        absl::StrCat(absl::string_view(file.data(), file.size()), ": ", what...));
  };
  for (const auto &[name, pieces] : manifest.pieces()) {
    uint64_t next = 0;
    for (const CheckpointManifest::Piece &piece : pieces) {
      if (!plan::sameType(piece.info->modelType(), pieces.front().info->modelType()))
        return damaged("the parts of variable ", quoteJson(name), " are of ",
                       plan::typeText(pieces.front().info->modelType()), " and of ",
                       plan::typeText(piece.info->modelType()));
      if (piece.begin < next || (!piece.info->part && pieces.size() > 1)) {
        const VariableInfo &other =
            *(&piece == &pieces.front() ? pieces.back() : (&piece)[-1]).info;
        return damaged("variable ", quoteJson(name), " is given twice: ", quoteJson(other.name),
                       " and ", quoteJson(piece.info->name), " have rows in common");
      }
      if (piece.begin > next)
        return damaged("a part of variable ", quoteJson(name),
                       " is missing: nothing holds what lies before ", quoteJson(piece.info->name));
      next = piece.end;
    }
    if (next != plan::tensorBytes(pieces.front().info->modelType()))
      return damaged("a part of variable ", quoteJson(name),
                     " is missing: nothing holds what lies behind ",
                     quoteJson(pieces.back().info->name));
  }
  return absl::OkStatus();
}

std::string encodeShard(const ShardInfo &shard) {
  std::vector<std::string> variables;
  for (const VariableInfo &variable : shard.variables)
    variables.push_back(encodeVariable(variable));
  return absl::StrCat("{\"file\": ", quoteJson(shard.file), ", \"bytes\": ", shard.bytes,
                      ", \"crc32c\": \"", absl::StrFormat("%08x", shard.crc32c),
                      "\", \"sha256\": ", quoteJson(shard.sha256), ", \"variables\": [",
                      absl::StrJoin(variables, ", "), "]}");
}

absl::StatusOr<ShardInfo> decodeShard(std::string_view text) {
  GRAPHC_ASSIGN_OR_RETURN(
      JsonValue root, base::parseJson(text, "shard", {.bytes = maxManifest, .values = 1u << 24}));
  return readShard(root, "shard");
}

std::string encodeManifest(CheckpointManifest manifest) {
  std::sort(manifest.shards.begin(), manifest.shards.end(),
            [](const ShardInfo &a, const ShardInfo &b) { return a.file < b.file; });
  std::string text =
      absl::StrCat("{\n  \"format\": ", CheckpointManifest::formatVersion,
                   ",\n  \"global_step\": ", manifest.globalStep, ",\n  \"data_position\": {");
  bool first = true;
  for (const auto &[phase, position] : manifest.dataPositions) {
    absl::StrAppend(&text, first ? "" : ", ", quoteJson(phase), ": ", position);
    first = false;
  }
  text += "}";
  for (const auto &[stream, ahead] : manifest.dataTaken)
    absl::StrAppend(&text,
                    stream == manifest.dataTaken.begin()->first ? ",\n  \"data_taken\": {" : ", ",
                    quoteJson(stream), ": [", absl::StrJoin(ahead, ", "), "]");
  text += manifest.dataTaken.empty() ? "" : "}";
  for (const auto &[kernel, algorithm] : manifest.algorithms)
    absl::StrAppend(&text,
                    kernel == manifest.algorithms.begin()->first ? ",\n  \"algorithms\": {\n    "
                                                                 : ",\n    ",
                    quoteJson(kernel), ": ", quoteJson(algorithm));
  text += manifest.algorithms.empty() ? "" : "\n  }";
  text += ",\n  \"shards\": [";
  first = true;
  for (const ShardInfo &shard : manifest.shards) {
    absl::StrAppend(&text, first ? "\n    " : ",\n    ", encodeShard(shard));
    first = false;
  }
  text += "\n  ]";
  std::string digest = base::toHex(base::sha256(text));
  text.append(digestStart);
  text.append(digest);
  text.append(digestEnd);
  return text;
}

absl::StatusOr<CheckpointManifest> decodeManifest(std::string_view text, std::string_view name) {
  auto damaged = [&](std::string_view why) {
    return absl::DataLossError(absl::StrCat(absl::string_view(name.data(), name.size()), ": ",
                                            absl::string_view(why.data(), why.size())));
  };
  size_t tail = digestStart.size() + 64 + digestEnd.size();
  if (text.size() < tail || text.substr(text.size() - tail, digestStart.size()) != digestStart ||
      text.substr(text.size() - digestEnd.size()) != digestEnd)
    return damaged(
        "the manifest does not end with its checksum; it is truncated or of another program");
  std::string_view body = text.substr(0, text.size() - tail);
  if (text.substr(text.size() - digestEnd.size() - 64, 64) != base::toHex(base::sha256(body)))
    return damaged("the manifest's SHA-256 does not match its text; it was changed or damaged");

  GRAPHC_ASSIGN_OR_RETURN(JsonValue root,
                          base::parseJson(text, name, {.bytes = maxManifest, .values = 1u << 24}));
  ObjectReader reader(
      root, name, "the manifest",
      {"format", "global_step", "data_position", "data_taken", "algorithms", "shards", "sha256"});
  const JsonValue *format = reader.member("format", Kind::Integer, "a number");
  CheckpointManifest manifest;
  manifest.globalStep = reader.count("global_step");
  const JsonValue *positions = reader.member("data_position", Kind::Object, "an object");
  const JsonValue *shards = reader.member("shards", Kind::Array, "an array");
  GRAPHC_RETURN_IF_ERROR(reader.status());
  if (format->integer != CheckpointManifest::formatVersion)
    return absl::FailedPreconditionError(
        absl::StrCat(absl::string_view(name.data(), name.size()), ": format ", format->integer,
                     "; this program knows format ", CheckpointManifest::formatVersion));
  for (const JsonMember &position : positions->members) {
    if (!position.value.is(Kind::Integer) || position.value.integer < 0)
      return base::errorAt(name, position.value.position, "expected a count of samples");
    manifest.dataPositions[position.key] = static_cast<uint64_t>(position.value.integer);
  }
  if (const JsonValue *taken = root.find("data_taken"))
    GRAPHC_RETURN_IF_ERROR(readTaken(*taken, name, manifest));
  if (const JsonValue *algorithms = root.find("algorithms")) {
    if (!algorithms->is(Kind::Object))
      return base::errorAt(name, algorithms->position, "expected an object of algorithms");
    for (const JsonMember &one : algorithms->members) {
      if (!one.value.is(Kind::String))
        return base::errorAt(name, one.value.position, "expected a library's algorithm");
      manifest.algorithms[one.key] = one.value.string;
    }
  }
  std::set<std::string> files, variables;
  for (const JsonValue &value : shards->elements) {
    GRAPHC_ASSIGN_OR_RETURN(ShardInfo shard, readShard(value, name));
    if (!files.insert(shard.file).second)
      return base::errorAt(name, value.position,
                           absl::StrCat("shard ", quoteJson(shard.file), " is given twice"));
    for (const VariableInfo &variable : shard.variables)
      if (!variables.insert(variable.name).second)
        return base::errorAt(
            name, value.position,
            absl::StrCat("variable ", quoteJson(variable.name), " is given twice"));
    manifest.shards.push_back(std::move(shard));
  }
  GRAPHC_RETURN_IF_ERROR(checkPieces(manifest, name));
  return manifest;
}

} // namespace graphc::checkpoint
