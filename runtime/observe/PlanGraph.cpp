#include "runtime/observe/PlanGraph.h"

#include "runtime/common/plan/InstructionTable.h"
#include "runtime/common/plan/PlanTypes.h"
#include "runtime/observe/event.pb.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace graphc::session {
namespace {
using plan::Instruction;

/// A name of TensorFlow's, whose characters are these.
std::string nodeName(std::string text) {
  for (char &c : text)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '/' && c != '.' && c != '_' &&
        c != '-')
      c = '_';
  return text;
}

/// "train.matmul_bias_relu_3" → "matmul_bias_relu".
std::string kernelOp(const std::string &kernel) {
  std::string op = kernel.substr(kernel.rfind('.') + 1);
  const size_t last = op.find_last_not_of("0123456789");
  if (last != std::string::npos && last > 0 && last + 1 < op.size() && op[last] == '_')
    op.resize(last);
  return op;
}

/// What an instruction is called; empty: it is not drawn, since it neither makes nor moves a value.
std::string opOf(const plan::Plan &plan, const Instruction &instruction) {
  if (instruction.has_call())
    return kernelOp(plan.kernels(static_cast<int>(instruction.call().kernel())).name());
  const plan::InstructionFacts *facts = plan::factsOf(instruction.kind_case());
  return facts ? facts->op : "";
}

void addShape(observe::NodeDef &node, const plan::TensorType &type) {
  observe::TensorShapeProto &shape =
      *(*node.mutable_attr())["_output_shapes"].mutable_list()->add_shape();
  for (int64_t size : type.shape())
    shape.add_dim()->set_size(size);
}

void addText(observe::NodeDef &node, const std::string &name, const std::string &text) {
  if (!text.empty())
    (*node.mutable_attr())[name].set_s(text);
}

class GraphBuilder {
public:
  explicit GraphBuilder(const plan::Plan &plan) : plan_(plan) {}
  observe::GraphDef build() {
    graph_.mutable_versions()->set_producer(1);
    for (const plan::Variable &variable : plan_.variables())
      addVariable(variable);
    for (const plan::Program &program : plan_.programs())
      addProgram(program);
    for (const auto &[node, channel] : receivers_) // the sender may stand behind
      for (const std::string &sender : senders_[channel])
        graph_.mutable_node(node)->add_input(sender);
    return std::move(graph_);
  }

private:
  /// Where a value lies: memory that is written as a whole or in part.
  struct Place {
    int kind = 0; ///< of the buffer's storage, and whose memory
    uint64_t index = 0, begin = 0, end = 0;
    bool overlaps(const Place &other) const {
      return kind == other.kind && index == other.index && begin < other.end && other.begin < end;
    }
  };
  struct Written {
    Place place;
    std::string node;
  };

  std::string unique(const std::string &wanted) {
    std::string name = nodeName(wanted);
    for (int n = 1; !names_.insert(name).second; ++n)
      name = absl::StrCat(nodeName(wanted), "_", n);
    return name;
  }

  void addVariable(const plan::Variable &variable) {
    observe::NodeDef &node = *graph_.add_node();
    node.set_name(unique(variable.name()));
    node.set_op("Variable");
    node.set_device(
        absl::StrCat(plan::taskText(plan_, variable.owner()), "/device:", variable.device()));
    addShape(node, variable.type());
    addText(node, "location", plan::locationText(plan_, variable.location()));
    variables_.push_back(node.name());
  }

  static Place placeOf(const plan::Buffer &buffer) {
    const uint64_t bytes = std::max<uint64_t>(1, buffer.bytes());
    const int space = buffer.space() == plan::DEVICE ? 100 : 0;
    switch (buffer.storage_case()) {
    case plan::Buffer::kArena:
      return {space + 1, 0, buffer.arena().offset(), buffer.arena().offset() + bytes};
    case plan::Buffer::kVariable:
      return {2, buffer.variable(), 0, bytes};
    case plan::Buffer::kConstant:
      return {3, buffer.constant(), 0, bytes};
    case plan::Buffer::kOutgoing:
      return {4, buffer.outgoing(), 0, bytes};
    default:
      return {}; // a message in place: by its buffer
    }
  }

  void addProgram(const plan::Program &program) {
    std::vector<Written> written;
    for (int i = 0; i < plan_.variables_size(); ++i)
      written.push_back(
          {{2, static_cast<uint64_t>(i), 0, UINT64_MAX}, variables_[static_cast<size_t>(i)]});
    const std::string scope = absl::StrReplaceAll(program.name(), {{".", "/"}});
    const std::string device = absl::StrCat(
        plan::taskText(plan_, plan::instanceTask(plan_, program, 0)), "/device:", program.device());
    for (const Instruction &instruction : program.instructions()) {
      const std::string op = opOf(plan_, instruction);
      if (!op.empty())
        addInstruction(program, instruction, absl::StrCat(scope, "/", op), op, device, written);
    }
  }

  void addInstruction(const plan::Program &program, const Instruction &instruction,
                      const std::string &name, const std::string &op, const std::string &device,
                      std::vector<Written> &written) {
    observe::NodeDef &node = *graph_.add_node();
    node.set_name(unique(name));
    node.set_op(op);
    node.set_device(device);
    addText(node, "location", plan::locationText(plan_, instruction.location()));
    if (program.instances() > 1)
      (*node.mutable_attr())["replicas"].set_i(program.instances());
    const plan::InstructionEffects effects = plan::effectsOf(plan_, program, instruction);
    std::set<std::string> inputs;
    for (const plan::BufferEffect &effect : effects.buffers)
      if (effect.access != plan::WRITE)
        if (const std::string *from = writer(program, effect.buffer, written);
            from && inputs.insert(*from).second)
          node.add_input(*from);
    bool shaped = false;
    for (const plan::BufferEffect &effect : effects.buffers) {
      if (effect.access == plan::READ)
        continue;
      const plan::Buffer &buffer = program.buffers(static_cast<int>(effect.buffer));
      written.push_back({place(program, effect.buffer), node.name()});
      if (!std::exchange(shaped, true))
        addShape(node, buffer.type());
    }
    for (const plan::ChannelEffect &effect : effects.channels) {
      addText(node, "channel", plan_.channels(static_cast<int>(effect.channel)).name());
      if (effect.action == plan::ChannelAction::Send) {
        senders_[effect.channel].push_back(node.name());
        if (const plan::Buffer &sent =
                program.buffers(static_cast<int>(effects.buffers.front().buffer));
            !shaped)
          addShape(node, sent.type());
      } else if (effect.action == plan::ChannelAction::Receive &&
                 !plan_.channels(static_cast<int>(effect.channel)).all_to_all()) {
        receivers_.emplace_back(graph_.node_size() - 1, effect.channel);
      }
    }
  }

  static Place place(const plan::Program &program, uint32_t buffer) {
    const plan::Buffer &one = program.buffers(static_cast<int>(buffer));
    Place found = placeOf(one);
    return found.kind ? found : Place{5, buffer, 0, 1};
  }

  /// The last that wrote there.
  static const std::string *writer(const plan::Program &program, uint32_t buffer,
                                   const std::vector<Written> &written) {
    const Place wanted = place(program, buffer);
    for (auto one = written.rbegin(); one != written.rend(); ++one)
      if (one->place.overlaps(wanted))
        return &one->node;
    return nullptr;
  }

  const plan::Plan &plan_;
  observe::GraphDef graph_;
  std::set<std::string> names_;
  std::vector<std::string> variables_;
  std::map<uint32_t, std::vector<std::string>> senders_; ///< by channel
  std::vector<std::pair<int, uint32_t>> receivers_; ///< node and channel
};
} // namespace

observe::GraphDef graphOf(const plan::Plan &plan) { return GraphBuilder(plan).build(); }

} // namespace graphc::session
