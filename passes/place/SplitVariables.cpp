// split-variables: large variables become parts, each a variable of its own, before anything is
// placed.
#include "dialects/graph/TableInterfaces.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "passes/Passes.h"
#include "passes/place/DistributionSpec.h"
#include "passes/place/PlacementAnnotations.h"
#include "passes/place/SettingLocation.h"
#include "passes/place/VariablePlacement.h"
#include "runtime/common/cluster/NamePattern.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace graphc {
#define GEN_PASS_DEF_SPLITVARIABLES
#include "passes/Passes.h.inc"

namespace {

using graph::GraphDialect;

/// Along dimension 0.
int64_t getRows(graph::VariableOp variable) {
  RankedTensorType type = variable.getTensorType();
  return type.getRank() ? type.getDimSize(0) : 1;
}

class Splitter {
public:
  Splitter(ModuleOp module, const DistributionSpec &distribution)
      : module_(module), dist_(distribution) {}

  LogicalResult run() {
    FailureOr<VariableGroups> groups = groupVariables(module_);
    if (failed(groups))
      return failure();
    findPinned();
    for (auto &[name, group] : *groups) {
      SmallVector<int64_t> sizes = splitGroup(name, group);
      if (sizes.size() > 1 && failed(makeParts(group, sizes)))
        return failure();
    }
    if (parts.empty())
      remarkOnNothing(*groups);
    for (auto func : module_.getOps<graph::FuncOp>())
      for (Operation &op : llvm::make_early_inc_range(func.getBodyBlock()))
        rewrite(&op);
    for (Operation *op : replaced_)
      op->erase();
    for (auto &[name, made] : parts)
      SymbolTable::lookupSymbolIn(module_, name)->erase();
    return success();
  }

  /// By the variable of the model.
  llvm::MapVector<StringAttr, SmallVector<graph::VariableOp>> parts;

private:
  /// What a device, a rule or a neighbour binds to one place is not taken apart, nor what an update
  /// needs whole.
  void findPinned() {
    auto note = [&](Operation *op) {
      if (auto beside = op->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kColocateWith))
        pinned_.insert(beside.getAttr());
    };
    for (auto variable : module_.getOps<graph::VariableOp>()) {
      note(variable);
      graph::DeviceAttr device = graph::getDevice(variable);
      bool open = !device || llvm::all_of(dist_.stores, [&](graph::DeviceAttr store) {
        return satisfies(store, device);
      });
      if (!open || variable->hasAttr(GraphDialect::kColocateWith) ||
          variable->hasAttr(GraphDialect::kDeviceRule) || hasRule(variable.getSymName()))
        pinned_.insert(variable.getSymNameAttr());
    }
    for (auto func : module_.getOps<graph::FuncOp>())
      for (Operation &op : func.getBodyBlock()) {
        note(&op);
        if (graph::isUpdate(&op) && !isByRows(&op))
          for (FlatSymbolRefAttr name : graph::getVariables(&op))
            pinned_.insert(name.getAttr());
      }
  }

  /// Whether parts updated each by itself are what the whole updated would be: every element
  /// follows from those at its place.
  static bool isByRows(Operation *update) {
    if (graph::looksAtUpdate(update))
      return cast<graph::UpdateOpInterface>(update).looksByRows();
    auto structured = dyn_cast<graph::StructuredOpInterface>(update);
    if (!structured)
      return false;
    // its own element, or a scalar
    auto isItsOwn = [](AffineMap map) { return map.isIdentity() || map.getNumResults() == 0; };
    return llvm::all_of(structured.getLoopNests(), [&](const graph::LoopNest &nest) {
      return nest.isElementwise() &&
             llvm::all_of(nest.reads, [&](const auto &read) { return isItsOwn(read.map); });
    });
  }

  bool hasRule(StringRef name) {
    auto rules = module_->getAttrOfType<ArrayAttr>(GraphDialect::kPlacement);
    return rules && llvm::any_of(rules, [&](Attribute entry) {
             auto rule = dyn_cast<ArrayAttr>(entry);
             auto pattern = rule && rule.size() ? dyn_cast<StringAttr>(rule[0]) : StringAttr();
             return pattern && cluster::matchesPattern(pattern.getValue(), name);
           });
  }

  /// The rows of each part of the group's variables; one entry: they stay whole.
  SmallVector<int64_t> splitGroup(StringAttr name, ArrayRef<graph::VariableOp> group) {
    graph::VariableOp first = group.front();
    int64_t rows = getRows(first), bytes = first.getBytes();
    for (graph::VariableOp variable : group)
      if (pinned_.contains(variable.getSymNameAttr()) || variable.getType() != first.getType() ||
          variable.getPart())
        return {rows};
    SmallVector<int64_t> sizes =
        splitRows(rows, bytes / rows, dist_.minShardBytes, dist_.maxShards);
    if (rows == 1 && dist_.maxShards > 1 && bytes / 2 >= dist_.minShardBytes)
      first.emitRemark("@")
          << name.getValue() << " stays whole: its " << bytes
          << " bytes are a single row of dimension 0, along which variables are split";
    return sizes;
  }

  LogicalResult makeParts(ArrayRef<graph::VariableOp> group, ArrayRef<int64_t> sizes) {
    for (graph::VariableOp variable : group) {
      RankedTensorType whole = variable.getTensorType();
      SmallVector<graph::VariableOp> &made = parts[variable.getSymNameAttr()];
      OpBuilder builder(variable);
      int64_t row = 0;
      for (auto [number, rows] : llvm::enumerate(sizes)) {
        std::string name = getPartName(variable.getSymName(), number);
        if (Operation *other = SymbolTable::lookupSymbolIn(module_, name)) {
          InFlightDiagnostic diag = other->emitOpError("has the name of a part of @")
                                    << variable.getSymName() << ", which is split; rename it";
          diag.attachNote(variable.getLoc()) << "split variable declared here";
          return diag;
        }
        auto part = cast<graph::VariableOp>(builder.clone(*variable));
        SmallVector<int64_t> shape(whole.getShape());
        shape[0] = rows;
        part.setSymName(name);
        part.setType(whole.clone(shape));
        part->setAttr(
            GraphDialect::kPartOf,
            graph::PartAttr::get(module_.getContext(), variable.getSymName(), whole, row));
        if (auto owner = part->getAttrOfType<FlatSymbolRefAttr>(GraphDialect::kSlotOf))
          part->setAttr(
              GraphDialect::kSlotOf,
              FlatSymbolRefAttr::get(module_.getContext(), getPartName(owner.getValue(), number)));
        made.push_back(part);
        row += rows;
      }
    }
    return success();
  }

  static std::string getPartName(StringRef variable, size_t number) {
    return (variable + "/part_" + Twine(number)).str();
  }

  /// A read becomes reads of the parts, an update one of each; both where they stood, so that every
  /// read sees the same updates as before.
  void rewrite(Operation *op) {
    FlatSymbolRefAttr name = graph::getVariable(op);
    auto *found = name ? parts.find(name.getAttr()) : parts.end();
    if (found == parts.end())
      return;
    OpBuilder builder(op);
    SmallVector<Value> values;
    for (auto [number, part] : llvm::enumerate(found->second)) {
      if (isa<graph::ReadOp>(op)) {
        values.push_back(
            graph::ReadOp::create(builder, op->getLoc(), part.getType(), part.getSymName()));
        continue;
      }
      Operation *update = builder.clone(*op);
      for (NamedAttribute attribute : op->getAttrs())
        if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
          if (auto *named = parts.find(symbol.getAttr()); named != parts.end())
            update->setAttr(attribute.getName(),
                            FlatSymbolRefAttr::get(named->second[number].getSymNameAttr()));
      OpOperand &value = graph::getUpdateOperand(update);
      value.set(getPart(update, value.get(), part));
      if (graph::looksAtUpdate(update)) {
        Value seen = update->getResult(0);
        auto type = cast<RankedTensorType>(seen.getType());
        SmallVector<int64_t> shape(type.getShape());
        shape[0] = getRows(part);
        seen.setType(type.clone(shape));
        values.push_back(seen);
      }
    }
    if (isa<graph::ReadOp>(op))
      takeRows(op->getResult(0), found->second, values);
    if (!values.empty() && !op->getResult(0).use_empty())
      op->getResult(0).replaceAllUsesWith(graph::createJoin(builder, op->getLoc(), values));
    Operation *whole =
        graph::isUpdate(op) ? graph::getUpdateOperand(op).get().getDefiningOp() : nullptr;
    op->erase();
    if (whole && graph::isRematerializable(whole) &&
        whole->use_empty()) // a constant, of which the parts have their own
      whole->erase();
  }

  /// Rows are taken of each part by itself, so that each server is asked for them, where they are
  /// fewer bytes than the part.
  void takeRows(Value whole, ArrayRef<graph::VariableOp> variables, ArrayRef<Value> values) {
    SmallVector<int64_t> first;
    for (graph::VariableOp part : variables)
      first.push_back(part.getPart().getRow());
    for (Operation *user : llvm::make_early_inc_range(whole.getUsers())) {
      auto reader = dyn_cast<graph::TableReadOpInterface>(user);
      if (!reader || reader.getTableOperand().get() != whole || graph::getDevice(user) ||
          graph::getByteSize(reader.getNumbersOperand().get()) +
                  graph::getByteSize(user->getResult(0)) >
              graph::getByteSize(values.back()))
        continue;
      OpBuilder builder(user);
      user->getResult(0).replaceAllUsesWith(reader.buildFromParts(builder, values, first));
      user->dropAllReferences();
      replaced_.push_back(user);
    }
  }

  /// What an update of a part takes, once for all that take it: what bounds a gradient's norm looks
  /// at the value that is applied, which then is summed, and sent, once.
  Value getPart(Operation *update, Value whole, graph::VariableOp part) {
    OpBuilder before(update);
    if (whole.getDefiningOp() &&
        graph::isRematerializable(whole.getDefiningOp())) // goes with its last update, see rewrite
      return makePart(before, whole, part);
    Value &made = partsOfValues_[{whole, part.getPart().getRow(), getRows(part)}];
    if (!made)
      made = makePart(before, whole, part);
    return made;
  }

  /// Rows of a gradient are rows of the whole, or made of the same numbers, where these and their
  /// rows are fewer bytes.
  static Value makePart(OpBuilder &builder, Value whole, graph::VariableOp part) {
    const int64_t row = part.getPart().getRow(), rows = getRows(part);
    auto gradient = whole.getDefiningOp<graph::RowGradientOpInterface>();
    if (gradient && graph::getByteSize(gradient.getNumbersOperand().get()) +
                            graph::getByteSize(gradient.getRowsOperand().get()) <=
                        int64_t(part.getBytes()))
      return gradient.buildPart(builder, row, rows);
    return graph::createRows(builder, whole.getLoc(), whole, row, rows);
  }

  void remarkOnNothing(const VariableGroups &groups) {
    graph::VariableOp largest;
    for (auto &[name, group] : groups)
      for (graph::VariableOp variable : group)
        if (!largest || variable.getBytes() > largest.getBytes())
          largest = variable;
    if (!largest)
      return;
    InFlightDiagnostic remark = emitRemark(getSettingLoc(module_, kStrategySetting),
                                           "placement \"split\" splits nothing: ");
    if (dist_.maxShards < 2)
      remark << "there is one parameter server, and \"max_shards\" is not given";
    else if (largest.getBytes() / 2 < dist_.minShardBytes)
      remark << "the largest variable, @" << largest.getSymName() << ", has " << largest.getBytes()
             << " bytes, less than two parts of \"min_shard_bytes\": " << dist_.minShardBytes;
    else
      remark << "what is large enough is pinned or has a single row";
  }

  ModuleOp module_;
  const DistributionSpec &dist_;
  llvm::DenseSet<StringAttr> pinned_;
  /// by first row and number of rows
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> partsOfValues_;
  SmallVector<Operation *> replaced_;
};

struct SplitVariablesPass : impl::SplitVariablesBase<SplitVariablesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<DistributionSpec> distribution = DistributionSpec::of(module);
    if (!distribution)
      return signalPassFailure();
    if (distribution->placement != "split" || !distribution->hasServers())
      return;
    Splitter splitter(module, *distribution);
    if (failed(splitter.run()))
      return signalPassFailure();
    numSplit += splitter.parts.size();
    for (auto &[name, made] : splitter.parts)
      numParts += made.size();
  }
};

} // namespace
} // namespace graphc
