#include "RandomPhase.h"

#include "runtime/common/plan/SumTree.h"

#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace graphc::test {

namespace {

// Of a variable or value, f32: some fill whole cache lines, some do not; the last is zero-copy where it can be.
constexpr int kSizes[] = {1, 16, 40, 500, 1100};

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed), programs(1 + pick(4)) {}

  std::string run() {
    for (size_t p = 0; p < programs; ++p) {
      bodies.emplace_back();
      std::string name = "v" + std::to_string(p),
                  type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
      header += "graph.variable @" + name + " : tensor" + type.substr(6) + " = #graph.zeros\n";
      line(p, "%" + name + " = dist.variable_buffer @" + name + " : " + type);
      // Reads see the variable before its update, which comes last.
      values.push_back({"%" + name, type, p, {p}});
    }
    for (int i = 0, count = 3 + int(pick(25)); i < count; ++i)
      if (const size_t kind = pick(8); kind == 0)
        addLoop();
      else
        kind == 1 && programs > 1 ? addTalkingLoops() : addCall();
    for (size_t p = 0; p < programs; ++p)
      finish(p);
    std::string text = header;
    for (size_t p = 0; p < programs; ++p) {
      text +=
          "dist.program @p." + name(p) + " of @p on \"/job:worker/task:" + std::to_string(p) + "/device:CPU:0\" {\n";
      if (p == 0)
        text += "  dist.control_send [" + controls + "]\n";
      text += bodies[p] +
              (p == 0 ? "  dist.control_receive local\n" : "  dist.control_receive @p.control" + name(p) + "\n");
      text += "  dist.end\n}\n";
    }
    return text;
  }

private:
  struct RandomValue {
    std::string text, type;
    size_t home;
    std::vector<size_t> known; ///< programs that have it
  };

  size_t pick(size_t n) { return random() % n; }
  static std::string name(size_t program) { return std::string(1, char('a' + program)); }
  void line(size_t program, const std::string &text) { bodies[program] += "  " + text + "\n"; }
  std::string fresh() { return std::to_string(next++); }

  /// The value's name in `program`: its own, or received; a program that received it may forward it.
  std::string use(size_t value, size_t program) {
    RandomValue &v = values[value];
    std::string &local = names[{value, program}];
    if (program == v.home)
      return v.text;
    if (!local.empty())
      return local;
    size_t from = v.known[pick(v.known.size())];
    std::string source = from == v.home ? v.text : names[{value, from}];
    std::string channel = "@p.c" + fresh();
    header += "dist.channel " + channel + " : tensor" + v.type.substr(6) + " from @p." + name(from) + " to @p." +
              name(program) + "\n";
    line(from, "dist.send " + channel + ", " + source + " : " + v.type);
    local = "%r" + fresh();
    line(program, local + " = dist.receive " + channel + " : " + v.type);
    v.known.push_back(program);
    return local;
  }

  void addCall() {
    size_t program = pick(programs), first = pick(values.size()), second = pick(values.size());
    std::string a = use(first, program), b = use(second, program), out = "%b" + fresh();
    std::string type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
    line(program, out + " = dist.buffer : " + type);
    if (a != b && pick(2))
      line(program, "dist.call @k2(" + a + ", " + b + ", " + out + ") : " + values[first].type + ", " +
                        values[second].type + ", " + type);
    else
      line(program, "dist.call @k1(" + a + ", " + out + ") : " + values[first].type + ", " + type);
    values.push_back({out, type, program, {program}});
    if (pick(6) == 0) // written again, perhaps after it was sent: as accumulators are
      updates.push_back(values.size() - 1);
  }

  std::string buffer(size_t program, const std::string &type) {
    std::string name = "%b" + fresh();
    line(program, name + " = dist.buffer : " + type);
    return name;
  }

  /// What outline makes of a graph.repeat: each time's value is added to partial sums; the last one is computed behind the loop, and
  /// those that wait are added to it.
  void addLoop() {
    const size_t program = pick(programs), first = pick(values.size()), second = pick(values.size());
    const size_t perLeaf = 1 + pick(3), leaves = 1 + pick(6) + (perLeaf == 1), times = perLeaf * leaves - 1;
    const std::string a = use(first, program), b = use(second, program);
    const std::string middle = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>",
                      type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
    auto compute = [&](const std::string &between, const std::string &out, const char *indent) {
      line(program, indent + ("dist.call @k1(" + a + ", " + between + ") : " + values[first].type + ", " + middle));
      line(program, indent + ("dist.call @k2(" + between + ", " + b + ", " + out + ") : " + middle + ", " +
                              values[second].type + ", " + type));
    };
    const std::string between = buffer(program, middle), value = buffer(program, type);
    std::vector<std::string> kept;
    std::string sums, types;
    for (uint32_t i = 0; i < plan::keptSums(times + 1, perLeaf); ++i) {
      kept.push_back(buffer(program, type));
      sums += (i ? ", " : "") + kept.back();
      types += ", " + type;
    }
    line(program, "dist.repeat " + std::to_string(times) + " {");
    compute(between, value, "  ");
    line(program, "  dist.accumulate " + value + " into(" + sums + ") by @u {per_leaf = " + std::to_string(perLeaf) +
                      "} : " + type + types);
    line(program, "}");
    const std::string behind = buffer(program, middle), last = buffer(program, type);
    compute(behind, last, "");
    const bool hasLeaf = perLeaf > 1;
    for (size_t i = 0; i < kept.size(); ++i)
      if ((hasLeaf && i == 0) || ((leaves - 1) >> (i - hasLeaf) & 1))
        line(program, "dist.call @u(" + last + ", " + kept[i] + ") : " + type + ", " + type);
    values.push_back({last, type, program, {program}});
  }

  std::string channel(size_t from, size_t to, const std::string &type) {
    const std::string name = "@p.c" + fresh();
    header += "dist.channel " + name + " : tensor" + type.substr(6) + " from @p." + this->name(from) + " to @p." +
              this->name(to) + (pick(2) ? " {capacity = 2}" : "") + "\n";
    return name;
  }

  /// One program computes in each iteration what another one takes, which sums what it makes of it and may answer. The last
  /// value is sent and computed behind the loops.
  void addTalkingLoops() {
    const size_t asks = pick(programs), takes = (asks + 1 + pick(programs - 1)) % programs;
    const size_t first = pick(values.size()), second = pick(values.size()), times = 1 + pick(4);
    const bool answers = pick(2);
    const std::string a = use(first, asks), b = use(second, takes);
    auto randomType = [&] { return "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>"; };
    const std::string question = randomType(), answer = randomType();
    const std::string there = channel(asks, takes, question), back = answers ? channel(takes, asks, answer) : "",
                      behind = channel(asks, takes, question);
    auto sums = [&](size_t program) {
      std::vector<std::string> kept;
      for (uint32_t i = 0; i < plan::keptSums(times + 1, 1); ++i)
        kept.push_back(buffer(program, answer));
      return kept;
    };
    auto accumulate = [&](size_t program, const std::string &value, const std::vector<std::string> &kept) {
      std::string names, types;
      for (size_t i = 0; i < kept.size(); ++i) {
        names += (i ? ", " : "") + kept[i];
        types += ", " + answer;
      }
      line(program, "  dist.accumulate " + value + " into(" + names + ") by @u : " + answer + types);
    };
    auto ask = [&](const std::string &through, const std::string &indent) {
      const std::string x = buffer(asks, question);
      return [=, this] {
        line(asks, indent + "dist.call @k1(" + a + ", " + x + ") : " + values[first].type + ", " + question);
        line(asks, indent + "dist.send " + through + ", " + x + " : " + question);
      };
    };
    auto take = [&](const std::string &through, const std::string &value, const std::string &indent) {
      const std::string r = "%r" + fresh();
      line(takes, indent + r + " = dist.receive " + through + " : " + question);
      line(takes, indent + "dist.call @k2(" + r + ", " + b + ", " + value + ") : " + question + ", " +
                      values[second].type + ", " + answer);
    };
    auto end = [&](size_t program, const std::string &last, const std::vector<std::string> &kept) {
      for (size_t i = 0; i < kept.size(); ++i)
        if (times >> i & 1)
          line(program, "dist.call @u(" + last + ", " + kept[i] + ") : " + answer + ", " + answer);
      values.push_back({last, answer, program, {program}});
    };
    const auto asking = ask(there, "  "), lastAsking = ask(behind, "");
    const std::vector<std::string> kept = sums(takes), keptThere = answers ? sums(asks) : std::vector<std::string>();
    const std::string value = buffer(takes, answer), last = buffer(takes, answer),
                      lastThere = answers ? buffer(asks, answer) : "";
    line(asks, "dist.repeat " + std::to_string(times) + " {");
    asking();
    line(takes, "dist.repeat " + std::to_string(times) + " {");
    take(there, value, "  ");
    accumulate(takes, value, kept);
    if (answers) {
      line(takes, "  dist.send " + back + ", " + value + " : " + answer);
      const std::string r = "%r" + fresh();
      line(asks, "  " + r + " = dist.receive " + back + " : " + answer);
      accumulate(asks, r, keptThere);
    }
    line(asks, "}");
    line(takes, "}");
    lastAsking();
    take(behind, last, "");
    end(takes, last, kept);
    if (answers) {
      line(asks, "dist.call @k1(" + a + ", " + lastThere + ") : " + values[first].type + ", " + answer);
      end(asks, lastThere, keptThere);
    }
  }

  void finish(size_t program) {
    // Fetched: the last value made here. Updated: the variable, by any other value that is here.
    size_t last = 0;
    bool any = false;
    for (size_t i = programs; i < values.size(); ++i)
      if (values[i].home == program) {
        last = i;
        any = true;
      }
    if (any) {
      for (size_t i : updates)
        if (values[i].home == program && i != last)
          line(program, "dist.call @u(" + values[i].text + ", " + values[last].text + ") : " + values[i].type + ", " +
                            values[last].type);
      line(program, "dist.call @u(" + values[program].text + ", " + values[last].text + ") : " + values[program].type +
                        ", " + values[last].type);
      line(program, "dist.fetch \"y" + name(program) + "\", " + values[last].text + " : " + values[last].type);
    }
    if (program == 0)
      return;
    header +=
        "dist.channel @p.control" + name(program) + " : tensor<i64> from @p.a to @p." + name(program) + " {control}\n";
    controls += (controls.empty() ? "@p.control" : ", @p.control") + name(program);
  }

  std::mt19937_64 random;
  size_t programs;
  std::string header =
      "dist.phase @p {role = #graph.role<predict>}\n"
      "func.func private @k1(memref<?xf32> {dist.access = \"read\"}, memref<?xf32> {dist.access = \"write\"})\n"
      "func.func private @k2(memref<?xf32> {dist.access = \"read\"}, memref<?xf32> {dist.access = \"read\"}, "
      "memref<?xf32> {dist.access = \"write\"})\n"
      "func.func private @u(memref<?xf32> {dist.access = \"read_write\"}, memref<?xf32> {dist.access = \"read\"})\n";
  std::vector<std::string> bodies;
  std::string controls;
  std::vector<RandomValue> values;
  std::vector<size_t> updates;
  std::map<std::pair<size_t, size_t>, std::string> names;
  unsigned next = 0;
};

} // namespace

std::string makeRandomPhase(uint64_t seed) { return Generator(seed).run(); }

} // namespace graphc::test
