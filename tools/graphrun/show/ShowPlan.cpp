//===- ShowPlan.cpp - what is in a plan -------------------------------------------------------===//
#include "tools/graphrun/show/ShowReaders.h"

#include "runtime/common/base/StatusMacros.h"
#include "runtime/common/plan/MemoryRequirements.h"
#include "runtime/common/plan/PlanFile.h"
#include "runtime/common/plan/PlanTypes.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <set>

namespace graphc::graphrun {
namespace {
using Json = nlohmann::ordered_json;
constexpr const char *kRoles[] = {"train", "eval", "predict"};

/// What a task stores, and the most that one of its phases needs beside that; slots of messages are
/// the transports'.
Json taskOf(const plan::Plan &plan, const plan::Task &task) {
  uint64_t stored = 0, variables = 0, programs = 0, most = 0;
  for (const plan::Variable &variable : plan.variables())
    if (plan::stores(plan, variable, task)) {
      ++variables;
      stored += plan::variableBytes(variable).device + plan::variableBytes(variable).host;
    }
  for (const plan::Phase &phase : plan.phases()) {
    uint64_t needs = 0;
    for (uint32_t number : phase.programs()) {
      const plan::Program &program = plan.programs(static_cast<int>(number));
      if (const uint32_t lanes = plan::lanesOn(plan, program, task)) {
        ++programs;
        const plan::SpaceBytes arena = plan::arenaBytes(program, lanes),
                               constants = plan::constantBytes(program);
        needs += arena.device + arena.host + constants.device + constants.host;
      }
    }
    most = std::max(most, needs);
  }
  return {{"task", plan::taskText(plan, task)},
          {"devices", plan::devicesOf(plan, task)},
          {"programs", programs},
          {"variables", variables},
          {"variable_bytes", stored},
          {"working_bytes", most}};
}

std::string initialText(const plan::Initializer &initializer) {
  switch (initializer.kind_case()) {
  case plan::Initializer::kZeros:
    return "zeros";
  case plan::Initializer::kUninitialized:
    return "uninitialized";
  case plan::Initializer::kValue:
    return "value";
  case plan::Initializer::kUniform:
    return absl::StrCat("uniform ", initializer.uniform().low(), " to ",
                        initializer.uniform().high());
  case plan::Initializer::kNormal:
    return absl::StrCat(initializer.normal().truncated() ? "truncated normal " : "normal ",
                        initializer.normal().mean(), " +- ", initializer.normal().stddev());
  default:
    return "";
  }
}

Json variableOf(const plan::Plan &plan, const plan::Variable &variable) {
  Json json = {{"name", variable.name()},
               {"type", plan::typeText(variable.type())},
               {"bytes", plan::tensorBytes(variable.type()).value_or(0)},
               {"task", plan::taskText(plan, variable.owner())},
               {"device", variable.device()},
               {"initial", initialText(variable.initializer())},
               {"trainable", variable.trainable()},
               {"location", plan::locationText(plan, variable.location())}};
  if (variable.mirrored())
    json["mirrored"] = true;
  if (variable.has_part_of())
    json["part_of"] = absl::StrCat(variable.part_of().of(), " from row ", variable.part_of().row());
  return json;
}

Json programOf(const plan::Plan &plan, const plan::Program &program) {
  std::vector<std::string> fetches;
  for (const plan::Port &port : program.fetches())
    fetches.push_back(port.name());
  for (const plan::Metric &metric : program.metrics())
    fetches.push_back(metric.name());
  std::vector<std::string> feeds;
  for (const plan::Port &port : program.feeds())
    feeds.push_back(port.name());
  Json json = {
      {"name", program.name()},
      {"phase", plan.phases(static_cast<int>(program.phase())).name()},
      {"runs_on", program.spread() ? "each replica" : plan::taskText(plan, program.task())},
      {"device", program.device()},
      {"instances", program.instances()},
      {"instructions", program.instructions_size()},
      {"arena_bytes", program.arena_bytes() + program.device_arena_bytes()},
      {"flops_per_step", program.flops_per_step()},
      {"received_bytes", program.bytes_received_per_step()},
      {"sent_bytes", program.bytes_sent_per_step()},
      {"results", fetches}};
  if (!feeds.empty())
    json["feeds"] = feeds;
  return json;
}

Json phaseOf(const plan::Plan &plan, const plan::Phase &phase) {
  Json json = {
      {"name", phase.name()}, {"role", kRoles[phase.role()]}, {"programs", phase.programs_size()}};
  if (phase.samples_per_step()) {
    json["samples_per_step"] = phase.samples_per_step();
    json["dataset"] = plan.datasets(static_cast<int>(phase.dataset())).name();
  }
  json["ends"] = phase.ends_by_end_of_stream() ? "by end of stream" : "by control message";
  return json;
}

Json datasetOf(const plan::Dataset &dataset) {
  std::vector<std::string> files, components;
  const char *format = "";
  auto take = [&](const char *name, const auto &list) {
    format = name;
    files.assign(list.begin(), list.end());
  };
  switch (dataset.source_case()) {
  case plan::Dataset::kIdx:
    take("idx", dataset.idx().files());
    break;
  case plan::Dataset::kNpy:
    take("npy", dataset.npy().files());
    break;
  case plan::Dataset::kCifar10:
    take("cifar10", dataset.cifar10().files());
    break;
  case plan::Dataset::kCsv:
    take("csv", std::vector<std::string>{dataset.csv().file()});
    break;
  case plan::Dataset::kText:
    take("text", std::vector<std::string>{dataset.text().file()});
    break;
  case plan::Dataset::kSynthetic:
    format = "synthetic";
    break;
  default:
    break;
  }
  for (const plan::Dataset::Component &component : dataset.components())
    components.push_back(plan::typeText(component.sample()));
  Json json = {{"name", dataset.name()},
               {"format", format},
               {"files", files},
               {"sample", components},
               {"shuffle", dataset.shuffle()}};
  if (dataset.has_synthetic())
    json["samples"] = dataset.synthetic().samples();
  return json;
}

Json channelOf(const plan::Plan &plan, const plan::Channel &channel) {
  auto program = [&](uint32_t number) { return plan.programs(static_cast<int>(number)).name(); };
  Json json = {{"name", channel.name()},
               {"type", plan::typeText(channel.type())},
               {"bytes", channel.bytes()},
               {"from", program(channel.sender())},
               {"to", program(channel.receiver())},
               {"instances", channel.instances()},
               {"capacity", channel.capacity()}};
  std::vector<std::string> kinds;
  constexpr const char *kAlgorithms[] = {"", "scatter", "ring", "doubling"};
  for (auto [has, name] :
       {std::pair(channel.control(), "control"), std::pair(channel.all_to_all(), "all to all"),
        std::pair(channel.zero_copy(), "zero copy"),
        std::pair(channel.conflating(), "newest alone"),
        std::pair(channel.algorithm() != plan::WHOLE, kAlgorithms[channel.algorithm()])})
    if (has)
      kinds.emplace_back(name);
  json["kind"] = absl::StrJoin(kinds, ", ");
  json["location"] = plan::locationText(plan, channel.location());
  return json;
}

Json codeOf(const plan::Code &code) {
  return {{"for", code.kind()},
          {"target", code.target_cpu()},
          {"bytes", code.elf().size() + code.ptx().size()},
          {"machine_codes", code.cubins_size()},
          {"features", std::vector<std::string>(code.features().begin(), code.features().end())}};
}
} // namespace

absl::StatusOr<ShowResult> showPlan(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(plan::LoadedPlan loaded, plan::loadPlan(path));
  const plan::Plan &plan = loaded.plan;
  ShowResult shown;
  Json &json = shown.json;
  json = {{"kind", "plan"},
          {"model", plan.model()},
          {"fingerprint", loaded.fingerprint},
          {"producer", plan.producer()},
          {"format_version", plan::planVersion},
          {"strategy", plan::strategyText(plan)},
          {"replicas", std::max(1u, plan.replicas().size())},
          {"micro_batches", std::max(1u, plan.strategy().micro_batches())}};
  Json settings = Json::object();
  for (const plan::Strategy::Setting &setting : plan.strategy().settings())
    settings[setting.name()] = setting.value();
  json["settings"] = settings;
  json["same_bits_as"] = plan.strategy().reproduced_by();
  json["chief"] = plan::taskText(plan, plan.chief());
  for (const char *name :
       {"tasks", "phases", "programs", "variables", "datasets", "channels", "code"})
    json[name] = Json::array();
  for (const plan::Task &task : plan::allTasks(plan))
    json["tasks"].push_back(taskOf(plan, task));
  for (const plan::Phase &phase : plan.phases())
    json["phases"].push_back(phaseOf(plan, phase));
  for (const plan::Program &program : plan.programs())
    json["programs"].push_back(programOf(plan, program));
  for (const plan::Variable &variable : plan.variables())
    json["variables"].push_back(variableOf(plan, variable));
  for (const plan::Dataset &dataset : plan.datasets())
    json["datasets"].push_back(datasetOf(dataset));
  for (const plan::Channel &channel : plan.channels())
    json["channels"].push_back(channelOf(plan, channel));
  for (const plan::Code &code : plan.code())
    json["code"].push_back(codeOf(code));
  return shown;
}

} // namespace graphc::graphrun
