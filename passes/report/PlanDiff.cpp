//===- PlanDiff.cpp - what differs between two plans ------------------------------------------===//
#include "passes/report/PlanDiff.h"

#include "passes/compiler/PlanFacts.h"
#include "passes/report/CostTable.h"
#include "runtime/common/plan/PlanTypes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>
#include <tuple>

namespace graphc {
namespace {

using Lines = std::vector<std::vector<std::string>>;

std::string arrow(const std::string &before, const std::string &after) {
  return before + " → " + after;
}

/// A list under a heading; long ones are cut. Nothing where it is empty.
std::string toText(llvm::StringRef heading, const Lines &lines) {
  if (lines.empty())
    return "";
  constexpr size_t kShown = 40;
  return heading.str() + '\n' +
         formatColumns({lines.begin(), lines.begin() + std::min(lines.size(), kShown)}) +
         (lines.size() > kShown ? " and " + std::to_string(lines.size() - kShown) + " more\n" : "");
}

/// Placement rules that one of the plans has alone, and their order where nothing else differs.
void compareRules(const plan::Plan &before, const plan::Plan &after, Lines &lines) {
  using Rules = std::vector<std::pair<std::string, std::string>>; // what it says, and where
  auto read = [](const plan::Plan &plan) {
    Rules rules;
    for (const plan::Strategy::Rule &rule : plan.strategy().rules())
      rules.emplace_back(rule.name() + " -> " + rule.device(),
                         plan::locationText(plan, rule.location()));
    return rules;
  };
  const Rules old = read(before), now = read(after);
  auto texts = [](const Rules &rules) {
    std::vector<std::string> all;
    for (const auto &[text, where] : rules)
      all.push_back(text);
    return all;
  };
  const std::vector<std::string> oldTexts = texts(old), nowTexts = texts(now);
  if (oldTexts == nowTexts)
    return;
  const size_t first = lines.size();
  const std::set<std::string> oldSet(oldTexts.begin(), oldTexts.end()),
      nowSet(nowTexts.begin(), nowTexts.end());
  for (const auto &[text, where] : now)
    if (!oldSet.count(text))
      lines.push_back({"placement rule, now", text, where});
  for (const auto &[text, where] : old)
    if (!nowSet.count(text))
      lines.push_back({"placement rule, no more", text, where});
  if (lines.size() > first)
    return;
  const size_t at = size_t(
      std::mismatch(oldTexts.begin(), oldTexts.end(), nowTexts.begin(), nowTexts.end()).first -
      oldTexts.begin());
  auto textAt = [at](const std::vector<std::string> &of) {
    return at < of.size() ? of[at] : std::string("none");
  };
  lines.push_back(
      {"placement rule " + std::to_string(at + 1), arrow(textAt(oldTexts), textAt(nowTexts))});
}

/// Strategy, replicas and jobs: what the user chose differently.
Lines reasons(const plan::Plan &before, const plan::Plan &after) {
  Lines lines;
  auto compare = [&](const char *what, const std::string &a, const std::string &b) {
    if (a != b)
      lines.push_back({what, arrow(a.empty() ? "none" : a, b.empty() ? "none" : b)});
  };
  auto strategy = [](const plan::Plan &plan) {
    return plan.strategy().name() + (plan.strategy().name() != "parameter_server" ? ""
                                     : plan.strategy().async()                    ? " (async)"
                                                                                  : " (sync)");
  };
  auto jobs = [](const plan::Plan &plan) {
    std::vector<std::string> texts;
    for (const plan::Job &job : plan.jobs())
      texts.push_back(job.name() + " ×" + std::to_string(job.tasks()));
    return llvm::join(texts, ", ");
  };
  auto batch = [](const plan::Plan &plan) {
    return plan.phases_size() ? std::to_string(plan.phases(mainPhase(plan)).samples_per_step())
                              : std::string();
  };
  compare("model", before.model(), after.model());
  compare("strategy", strategy(before), strategy(after));
  compare("micro-batches", std::to_string(before.strategy().micro_batches()),
          std::to_string(after.strategy().micro_batches()));
  compare("leaves of a sum", std::to_string(before.strategy().sum_leaves()),
          std::to_string(after.strategy().sum_leaves()));
  compare("tasks", jobs(before), jobs(after));
  compare("chief", plan::taskText(before, before.chief()), plan::taskText(after, after.chief()));
  compare("replicas", std::to_string(before.replicas().size()),
          std::to_string(after.replicas().size()));
  compare("samples a step", batch(before), batch(after));
  llvm::MapVector<llvm::StringRef, std::pair<std::string, std::string>> settings;
  for (const plan::Strategy::Setting &setting : before.strategy().settings())
    settings[setting.name()].first = setting.value();
  for (const plan::Strategy::Setting &setting : after.strategy().settings())
    settings[setting.name()].second = setting.value();
  for (auto &[name, values] : settings)
    if (auto &[old, now] = values; old != now)
      lines.push_back(
          {name.str(), arrow(old.empty() ? "default" : old, now.empty() ? "default" : now)});
  compareRules(before, after, lines);
  return lines;
}

Lines movedVariables(const plan::Plan &before, const plan::Plan &after) {
  llvm::MapVector<llvm::StringRef, std::pair<const plan::Variable *, const plan::Variable *>> pairs;
  for (const plan::Variable &variable : before.variables())
    pairs[variable.name()].first = &variable;
  for (const plan::Variable &variable : after.variables())
    pairs[variable.name()].second = &variable;
  Lines lines;
  auto text = [](const plan::Plan &plan, const plan::Variable *variable) {
    return variable ? plan::taskText(plan, variable->owner()) : std::string("not there");
  };
  for (auto &[name, pair] : pairs) {
    std::string a = text(before, pair.first), b = text(after, pair.second);
    const plan::Variable &variable = pair.second ? *pair.second : *pair.first;
    bool retyped =
        pair.first && pair.second && !plan::sameType(pair.first->type(), pair.second->type());
    if (a == b && !retyped)
      continue;
    lines.push_back(
        {"variable " + name.str(), a == b ? a : arrow(a, b),
         retyped ? arrow(plan::typeText(pair.first->type()), plan::typeText(pair.second->type()))
                 : inBytes(plan::tensorBytes(variable.type()).value_or(0)),
         plan::locationText(pair.second ? after : before, variable.location())});
  }
  return lines;
}

/// Where the work of each line of the model is done, by "model.mlir:12:8".
std::map<std::string, std::set<std::string>> placesOfWork(const plan::Plan &plan) {
  std::map<std::string, std::set<std::string>> places;
  for (const plan::Program &program : plan.programs())
    for (const plan::Instruction &instruction : program.instructions())
      if (instruction.has_call() || instruction.has_next_batch())
        if (const std::string &where = plan::locationText(plan, instruction.location());
            !where.empty())
          places[where].insert(placeName(plan, program));
  return places;
}

Lines movedWork(const plan::Plan &before, const plan::Plan &after) {
  auto a = placesOfWork(before), b = placesOfWork(after);
  Lines lines;
  auto text = [](const std::set<std::string> &rows) {
    return rows.empty() ? "nothing" : llvm::join(rows, " and ");
  };
  std::set<std::string> all;
  for (auto *places : {&a, &b})
    for (auto &[where, rows] : *places)
      all.insert(where);
  for (const std::string &where : all)
    if (a[where] != b[where])
      lines.push_back({where, arrow(text(a[where]), text(b[where]))});
  return lines;
}

struct Crossing {
  std::string ends, location;
  uint64_t bytes = 0;
};

std::map<std::string, Crossing> crossings(const plan::Plan &plan) {
  std::map<std::string, Crossing> all;
  const ChannelBytes bytes(plan);
  for (const plan::Channel &channel : plan.channels())
    if (!channel.control() && crossesTasks(plan, channel))
      all[channel.name()] = {arrow(placeName(plan, plan.programs(int(channel.sender()))),
                                   placeName(plan, plan.programs(int(channel.receiver())))),
                             plan::locationText(plan, channel.location()),
                             bytes.betweenTasks(channel)};
  return all;
}

Lines changedCrossings(const plan::Plan &before, const plan::Plan &after) {
  auto a = crossings(before), b = crossings(after);
  Lines lines;
  for (auto &[name, now] : b)
    if (auto old = a.find(name); old == a.end())
      lines.push_back({"now", name, now.ends, inBytes(now.bytes) + " a step", now.location});
    else if (old->second.bytes != now.bytes || old->second.ends != now.ends)
      lines.push_back(
          {"otherwise", name,
           old->second.ends == now.ends ? now.ends : old->second.ends + ", now " + now.ends,
           arrow(inBytes(old->second.bytes), inBytes(now.bytes)) + " a step", now.location});
  for (auto &[name, old] : a)
    if (!b.count(name))
      lines.push_back({"no more", name, old.ends, inBytes(old.bytes) + " a step", old.location});
  return lines;
}

Lines changedSizes(const plan::Plan &before, const plan::Plan &after) {
  PlanFootprint a = computeFootprint(before), b = computeFootprint(after);
  Lines lines;
  llvm::SmallSetVector<llvm::StringRef, 8> names;
  for (const PlanFootprint *footprint : {&a, &b})
    for (const PlanFootprint::Device &device : footprint->devices)
      names.insert(device.name);
  for (llvm::StringRef name : names) {
    auto find = [&](const PlanFootprint &footprint) {
      for (const PlanFootprint::Device &device : footprint.devices)
        if (device.name == name)
          return device;
      return PlanFootprint::Device();
    };
    PlanFootprint::Device old = find(a), now = find(b);
    const std::tuple<const char *, uint64_t, uint64_t> sizes[] = {
        {"variables", old.variables, now.variables},
        {"arena", old.arena, now.arena},
        {"channels", old.channels, now.channels},
        {"pinned", old.pinned, now.pinned},
        {"to the device", old.copied.toDevice, now.copied.toDevice},
        {"from the device", old.copied.fromDevice, now.copied.fromDevice}};
    if (llvm::all_of(sizes, [](auto &size) { return std::get<1>(size) == std::get<2>(size); }))
      continue;
    std::vector<std::string> line = {name.str()};
    for (auto [what, x, y] :
         llvm::ArrayRef(sizes).take_front(old.ownMemory || now.ownMemory ? 6 : 3))
      line.push_back(std::string(what) + " " +
                     (x == y ? inBytes(x) : arrow(inBytes(x), inBytes(y))));
    lines.push_back(std::move(line));
  }
  if (a.bytesPerStep != b.bytesPerStep)
    lines.push_back(
        {"between tasks", arrow(inBytes(a.bytesPerStep), inBytes(b.bytesPerStep)) + " a step"});
  return lines;
}

} // namespace

std::string diff(const plan::LoadedPlan &old, const plan::LoadedPlan &now) {
  if (old.fingerprint == now.fingerprint)
    return "the plans are the same, byte for byte\n";
  const plan::Plan &before = old.plan, &after = now.plan;
  std::string text = toText("why: chosen differently", reasons(before, after));
  text += toText("variables that moved", movedVariables(before, after));
  text += toText("work that moved, by line of the model", movedWork(before, after));
  text += toText("what crosses a link", changedCrossings(before, after));
  text += toText("memory of each device, and bytes", changedSizes(before, after));
  return text.empty() ? "nothing moved; the plans differ in code, order or numbers alone\n" : text;
}

} // namespace graphc
