#include "RandomPhase.h"

#include "runtime/common/plan/SumTree.h"

#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace graphc::test {

namespace {

// Of a variable or value, f32: some fill whole cache lines, some do not; the last is zero-copy
// where it can be.
constexpr int kSizes[] = {1, 16, 40, 500, 1100};

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed), programs_(1 + pick(4)) {}

  std::string run() {
    for (size_t p = 0; p < programs_; ++p) {
      bodies_.emplace_back();
      std::string name = "v" + std::to_string(p),
                  type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
      header_ += "graph.variable @" + name + " : tensor" + type.substr(6) + " = #graph.zeros\n";
      line(p, "%" + name + " = dist.variable_buffer @" + name + " : " + type);
      // Reads see the variable before its update, which comes last.
      values_.push_back({"%" + name, type, p, {p}});
    }
    for (int i = 0, count = 3 + int(pick(25)); i < count; ++i)
      if (const size_t kind = pick(8); kind == 0)
        addLoop();
      else
        kind == 1 && programs_ > 1 ? addTalkingLoops() : addCall();
    for (size_t p = 0; p < programs_; ++p)
      finish(p);
    std::string text = header_;
    for (size_t p = 0; p < programs_; ++p) {
      text += "dist.program @p." + name(p) + " of @p on \"/job:worker/task:" + std::to_string(p) +
              "/device:CPU:0\" {\n";
      if (p == 0)
        text += "  dist.control_send [" + controls_ + "]\n";
      text += bodies_[p] + (p == 0 ? "  dist.control_receive local\n"
                                   : "  dist.control_receive @p.control" + name(p) + "\n");
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

  size_t pick(size_t n) { return random_() % n; }
  static std::string name(size_t program) { return std::string(1, char('a' + program)); }
  void line(size_t program, const std::string &text) { bodies_[program] += "  " + text + "\n"; }
  std::string fresh() { return std::to_string(next_++); }

  /// The value's name in `program`: its own, or received; a program that received it may forward
  /// it.
  std::string use(size_t value, size_t program) {
    RandomValue &v = values_[value];
    std::string &local = names_[{value, program}];
    if (program == v.home)
      return v.text;
    if (!local.empty())
      return local;
    size_t from = v.known[pick(v.known.size())];
    std::string source = from == v.home ? v.text : names_[{value, from}];
    std::string channel = "@p.c" + fresh();
    header_ += "dist.channel " + channel + " : tensor" + v.type.substr(6) + " from @p." +
               name(from) + " to @p." + name(program) + "\n";
    line(from, "dist.send " + channel + ", " + source + " : " + v.type);
    local = "%r" + fresh();
    line(program, local + " = dist.receive " + channel + " : " + v.type);
    v.known.push_back(program);
    return local;
  }

  void addCall() {
    size_t program = pick(programs_), first = pick(values_.size()), second = pick(values_.size());
    std::string a = use(first, program), b = use(second, program), out = "%b" + fresh();
    std::string type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
    line(program, out + " = dist.buffer : " + type);
    if (a != b && pick(2))
      line(program, "dist.call @k2(" + a + ", " + b + ", " + out + ") : " + values_[first].type +
                        ", " + values_[second].type + ", " + type);
    else
      line(program, "dist.call @k1(" + a + ", " + out + ") : " + values_[first].type + ", " + type);
    values_.push_back({out, type, program, {program}});
    if (pick(6) == 0) // written again, perhaps after it was sent: as accumulators are
      updates_.push_back(values_.size() - 1);
  }

  std::string buffer(size_t program, const std::string &type) {
    std::string name = "%b" + fresh();
    line(program, name + " = dist.buffer : " + type);
    return name;
  }

  /// What outline makes of a graph.repeat: each time's value is added to partial sums; the last one
  /// is computed behind the loop, and those that wait are added to it.
  void addLoop() {
    const size_t program = pick(programs_), first = pick(values_.size()),
                 second = pick(values_.size());
    const size_t perLeaf = 1 + pick(3), leaves = 1 + pick(6) + (perLeaf == 1),
                 times = perLeaf * leaves - 1;
    const std::string a = use(first, program), b = use(second, program);
    const std::string middle =
                          "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>",
                      type = "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
    auto compute = [&](const std::string &between, const std::string &out, const char *indent) {
      line(program, indent + ("dist.call @k1(" + a + ", " + between + ") : " + values_[first].type +
                              ", " + middle));
      line(program, indent + ("dist.call @k2(" + between + ", " + b + ", " + out + ") : " + middle +
                              ", " + values_[second].type + ", " + type));
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
    line(program, "  dist.accumulate " + value + " into(" + sums +
                      ") by @u {per_leaf = " + std::to_string(perLeaf) + "} : " + type + types);
    line(program, "}");
    const std::string behind = buffer(program, middle), last = buffer(program, type);
    compute(behind, last, "");
    const bool hasLeaf = perLeaf > 1;
    for (size_t i = 0; i < kept.size(); ++i)
      if ((hasLeaf && i == 0) || ((leaves - 1) >> (i - hasLeaf) & 1))
        line(program, "dist.call @u(" + last + ", " + kept[i] + ") : " + type + ", " + type);
    values_.push_back({last, type, program, {program}});
  }

  std::string channel(size_t from, size_t to, const std::string &type) {
    const std::string name = "@p.c" + fresh();
    header_ += "dist.channel " + name + " : tensor" + type.substr(6) + " from @p." +
               this->name(from) + " to @p." + this->name(to) + (pick(2) ? " {capacity = 2}" : "") +
               "\n";
    return name;
  }

  /// One program computes in each iteration what another one takes, which sums what it makes of it
  /// and may answer. The last value is sent and computed behind the loops.
  void addTalkingLoops() {
    const size_t asks = pick(programs_), takes = (asks + 1 + pick(programs_ - 1)) % programs_;
    const size_t first = pick(values_.size()), second = pick(values_.size()), times = 1 + pick(4);
    const bool answers = pick(2);
    const std::string a = use(first, asks), b = use(second, takes);
    auto randomType = [&] {
      return "memref<" + std::to_string(kSizes[pick(std::size(kSizes))]) + "xf32>";
    };
    const std::string question = randomType(), answer = randomType();
    const std::string there = channel(asks, takes, question),
                      back = answers ? channel(takes, asks, answer) : "",
                      behind = channel(asks, takes, question);
    auto sums = [&](size_t program) {
      std::vector<std::string> kept;
      for (uint32_t i = 0; i < plan::keptSums(times + 1, 1); ++i)
        kept.push_back(buffer(program, answer));
      return kept;
    };
    auto accumulate = [&](size_t program, const std::string &value,
                          const std::vector<std::string> &kept) {
      std::string names, types;
      for (size_t i = 0; i < kept.size(); ++i) {
        names += (i ? ", " : "") + kept[i];
        types += ", " + answer;
      }
      line(program,
           "  dist.accumulate " + value + " into(" + names + ") by @u : " + answer + types);
    };
    auto ask = [&](const std::string &through, const std::string &indent) {
      const std::string x = buffer(asks, question);
      return [=, this] {
        line(asks, indent + "dist.call @k1(" + a + ", " + x + ") : " + values_[first].type + ", " +
                       question);
        line(asks, indent + "dist.send " + through + ", " + x + " : " + question);
      };
    };
    auto take = [&](const std::string &through, const std::string &value,
                    const std::string &indent) {
      const std::string r = "%r" + fresh();
      line(takes, indent + r + " = dist.receive " + through + " : " + question);
      line(takes, indent + "dist.call @k2(" + r + ", " + b + ", " + value + ") : " + question +
                      ", " + values_[second].type + ", " + answer);
    };
    auto end = [&](size_t program, const std::string &last, const std::vector<std::string> &kept) {
      for (size_t i = 0; i < kept.size(); ++i)
        if (times >> i & 1)
          line(program, "dist.call @u(" + last + ", " + kept[i] + ") : " + answer + ", " + answer);
      values_.push_back({last, answer, program, {program}});
    };
    const auto asking = ask(there, "  "), lastAsking = ask(behind, "");
    const std::vector<std::string> kept = sums(takes),
                                   keptThere = answers ? sums(asks) : std::vector<std::string>();
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
      line(asks,
           "dist.call @k1(" + a + ", " + lastThere + ") : " + values_[first].type + ", " + answer);
      end(asks, lastThere, keptThere);
    }
  }

  void finish(size_t program) {
    // Fetched: the last value made here. Updated: the variable, by any other value that is here.
    size_t last = 0;
    bool any = false;
    for (size_t i = programs_; i < values_.size(); ++i)
      if (values_[i].home == program) {
        last = i;
        any = true;
      }
    if (any) {
      for (size_t i : updates_)
        if (values_[i].home == program && i != last)
          line(program, "dist.call @u(" + values_[i].text + ", " + values_[last].text +
                            ") : " + values_[i].type + ", " + values_[last].type);
      line(program, "dist.call @u(" + values_[program].text + ", " + values_[last].text +
                        ") : " + values_[program].type + ", " + values_[last].type);
      line(program, "dist.fetch \"y" + name(program) + "\", " + values_[last].text + " : " +
                        values_[last].type);
    }
    if (program == 0)
      return;
    header_ += "dist.channel @p.control" + name(program) + " : tensor<i64> from @p.a to @p." +
               name(program) + " {control}\n";
    controls_ += (controls_.empty() ? "@p.control" : ", @p.control") + name(program);
  }

  std::mt19937_64 random_;
  size_t programs_;
  std::string header_ =
      "dist.phase @p {role = #graph.role<predict>}\n"
      "func.func private @k1(memref<?xf32> {dist.access = \"read\"}, memref<?xf32> {dist.access = \"write\"})\n"
      "func.func private @k2(memref<?xf32> {dist.access = \"read\"}, memref<?xf32> {dist.access = \"read\"}, "
      "memref<?xf32> {dist.access = \"write\"})\n"
      "func.func private @u(memref<?xf32> {dist.access = \"read_write\"}, memref<?xf32> {dist.access = \"read\"})\n";
  std::vector<std::string> bodies_;
  std::string controls_;
  std::vector<RandomValue> values_;
  std::vector<size_t> updates_;
  std::map<std::pair<size_t, size_t>, std::string> names_;
  unsigned next_ = 0;
};

} // namespace

std::string makeRandomPhase(uint64_t seed) { return Generator(seed).run(); }

} // namespace graphc::test
