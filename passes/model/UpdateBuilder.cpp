#include "passes/model/UpdateBuilder.h"
#include "dialects/graph/VariableAccess.h"
#include "dialects/graph/ops/PassOpBuilders.h"

using namespace mlir;

namespace graphc {

using namespace graph;

static std::optional<double> toDouble(const std::optional<llvm::APFloat> &number) {
  return number ? std::optional<double>(number->convertToDouble()) : std::nullopt;
}

UpdateBuilder::UpdateBuilder(MinimizeOp minimize, SymbolTable &symbols)
    : minimize_(minimize), optimizer_(cast<OptimizerAttrInterface>(minimize.getOptimizer())),
      symbols_(symbols), builder_(minimize) {}

LogicalResult UpdateBuilder::build(Gradients gradients, bool counts) {
  if (failed(check(gradients)) || failed(findCounter()))
    return failure();
  makeStepValues();
  if (failed(makeSummary()))
    return failure();
  SmallVector<Value> scales = makeScales(gradients);
  for (auto [i, update] : llvm::enumerate(gradients))
    if (failed(makeUpdate(update.first, update.second, scales.empty() ? Value() : scales[i])))
      return failure();
  if (counts)
    countStep();
  return success();
}

/// What is asked for can be had, and patterns of a weight decay mean something.
LogicalResult UpdateBuilder::check(Gradients gradients) {
  if (!optimizer_.takesMore())
    for (StringRef name : {"clip_norm", "clip_global_norm", "clip_value", "moving_average"})
      if (minimize_->hasAttr(name))
        return minimize_.emitOpError()
               << "has " << name << ", which the optimizer " << optimizer_ << " does not take";
  LogicalResult result = success();
  optimizer_.walk([&](WeightDecayAttr decay) {
    for (ArrayAttr patterns : {decay.getOnly(), decay.getExclude()})
      for (Attribute pattern : patterns ? patterns.getValue() : ArrayRef<Attribute>()) {
        auto alone = WeightDecayAttr::get(builder_.getContext(), decay.getRate(),
                                          builder_.getArrayAttr(pattern), {});
        auto isFor = [&](const auto &update) {
          return alone.isFor(VariableOp(update.first).getSymName());
        };
        if (llvm::none_of(gradients, isFor))
          result = minimize_.emitOpError() << "weight_decay has the pattern " << pattern
                                           << ", which no variable that is trained matches";
      }
  });
  return result;
}

//===------------------------------------------------------------------------------------------===//
// The step
//===------------------------------------------------------------------------------------------===//

/// The counter, which the model may declare itself.
LogicalResult UpdateBuilder::findCounter() {
  auto type = RankedTensorType::get({}, builder_.getI64Type());
  Operation *existing = symbols_.lookup(GraphDialect::kGlobalStep);
  counter_ = dyn_cast_or_null<VariableOp>(existing);
  if (existing && (!counter_ || counter_.getType() != type)) {
    InFlightDiagnostic diagnostic =
        existing->emitOpError() << "named 'global_step' must be a graph.variable of type " << type;
    diagnostic.attachNote(minimize_.getLoc()) << "the updates made here are counted in it";
    return diagnostic;
  }
  if (counter_)
    return success();
  OpBuilder atTop(minimize_->getParentOfType<FuncOp>());
  counter_ = VariableOp::create(atTop, minimize_.getLoc(), GraphDialect::kGlobalStep, type,
                                ZerosAttr::get(builder_.getContext()), /*trainable=*/false);
  symbols_.insert(counter_);
  return success();
}

/// What is the same for all variables is made once, where the counter is.
Value UpdateBuilder::besideCounter(Value value) {
  value.getDefiningOp()->setAttr(GraphDialect::kColocateWith,
                                 FlatSymbolRefAttr::get(counter_.getSymNameAttr()));
  return value;
}

Value UpdateBuilder::getStep() {
  if (!step_)
    step_ = ReadOp::create(builder_, minimize_.getLoc(), counter_.getType(), counter_.getSymName());
  return step_;
}

void UpdateBuilder::makeStepValues() {
  Location loc = minimize_.getLoc();
  if (auto schedule = dyn_cast_if_present<ScheduleAttrInterface>(optimizer_.getRate()))
    rate_ = besideCounter(createLearningRate(builder_, loc, getStep(), schedule));
  values_ = optimizer_.buildStepValues(builder_, loc, [&] { return getStep(); });
  for (Value value : values_)
    besideCounter(value);
}

LogicalResult UpdateBuilder::makeSummary() {
  std::optional<StringRef> name = minimize_.getLearningRateSummary();
  if (!name)
    return success();
  auto number = dyn_cast_if_present<FloatAttr>(optimizer_.getRate());
  if (!rate_ && !number)
    return minimize_.emitOpError() << "has learning_rate_summary, but the optimizer " << optimizer_
                                   << " does not say its learning rate";
  Value shown = rate_ ? rate_
                      : createSplat(builder_, minimize_.getLoc(),
                                    RankedTensorType::get({}, builder_.getF64Type()),
                                    number.getValueAsDouble());
  SummaryOp::create(builder_, minimize_.getLoc(), *name, shown, /*reduction=*/StringAttr());
  return success();
}

void UpdateBuilder::countStep() {
  Value one = createSplat(builder_, minimize_.getLoc(), counter_.getType(), 1);
  Operation *add = createIncrement(builder_, minimize_.getLoc(), GraphDialect::kGlobalStep, one);
  setDevice(one.getDefiningOp(), getDevice(counter_));
  setDevice(add, getDevice(counter_));
}

//===------------------------------------------------------------------------------------------===//
// Updates
//===------------------------------------------------------------------------------------------===//

/// What each gradient is multiplied by so that norms stay within their bound; none where there is
/// no bound.
SmallVector<Value> UpdateBuilder::makeScales(Gradients gradients) {
  std::optional<double> each = toDouble(minimize_.getClipNorm()),
                        all = toDouble(minimize_.getClipGlobalNorm());
  if (!each && !all)
    return {};
  Location loc = minimize_.getLoc();
  SmallVector<Value> squares;
  for (auto [variable, gradient] : gradients) {
    squares.push_back(
        createGradientSquares(builder_, loc, VariableOp(variable).getSymName(), gradient));
    setDevice(squares.back().getDefiningOp(), getDevice(variable));
  }
  if (each)
    return llvm::map_to_vector(
        squares, [&](Value own) { return createClipScale(builder_, loc, own, *each); });
  Operation *before = minimize_->getPrevNode();
  Value scale = createClipScale(builder_, loc, squares, *all);
  for (Operation *op = before->getNextNode(); op != minimize_; op = op->getNextNode())
    besideCounter(op->getResult(0));
  return SmallVector<Value>(gradients.size(), scale);
}

/// The variable of an optimizer's slot: the model's own where it has one of this name, else a new
/// one.
FailureOr<FlatSymbolRefAttr> UpdateBuilder::getSlot(VariableOp variable, StringRef name,
                                                    InitializerAttrInterface initial, bool isCopy,
                                                    Operation *&insertAfter) {
  if (Operation *existing = symbols_.lookup(name)) {
    auto found = dyn_cast<VariableOp>(existing);
    if (!found || found.getType() != variable.getType() || found.getTrainable()) {
      InFlightDiagnostic diagnostic =
          existing->emitOpError()
          << "is in the way of an optimizer's slot, expected a graph.variable of type "
          << variable.getType() << " that is not trainable, or no symbol of this name";
      diagnostic.attachNote(variable.getLoc()) << "the slot belongs to this variable";
      return diagnostic;
    }
    insertAfter = found;
    return FlatSymbolRefAttr::get(found.getSymNameAttr());
  }
  OpBuilder behind(builder_.getContext());
  behind.setInsertionPointAfter(insertAfter);
  auto made = VariableOp::create(behind, variable.getLoc(), name, variable.getTensorType(), initial,
                                 /*trainable=*/false);
  made->setAttr(GraphDialect::kSlotOf, FlatSymbolRefAttr::get(variable.getSymNameAttr()));
  if (isCopy && !isa<ZerosAttr, ValueAttr, UninitializedAttr>(initial))
    made.setDrawnAsAttr(variable.getDrawnAsAttr() ? variable.getDrawnAsAttr()
                                                  : variable.getSymNameAttr());
  setDevice(made, getDevice(variable));
  symbols_.insert(made);
  insertAfter = made;
  return FlatSymbolRefAttr::get(made.getSymNameAttr());
}

/// The initializer of a slot: all elements are this.
static InitializerAttrInterface getInitializer(RankedTensorType type, double value) {
  MLIRContext *context = type.getContext();
  if (value == 0)
    return ZerosAttr::get(context);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  return ValueAttr::get(
      context,
      DenseElementsAttr::get(scalar, Attribute(FloatAttr::get(type.getElementType(), value))));
}

LogicalResult UpdateBuilder::makeUpdate(VariableOp variable, Value gradient, Value scale) {
  GradientUpdate update;
  update.variable = FlatSymbolRefAttr::get(variable.getSymNameAttr());
  update.gradient = gradient;
  update.rate = rate_;
  update.values = values_;
  update.scale = scale;
  update.clipValue = toDouble(minimize_.getClipValue());
  Operation *insertAfter = variable;
  for (const OptimizerSlot &slot : optimizer_.getSlots()) {
    FailureOr<FlatSymbolRefAttr> made = getSlot(
        variable, (variable.getSymName() + "/" + slot.name).str(),
        getInitializer(variable.getTensorType(), slot.initial), /*isCopy=*/false, insertAfter);
    if (failed(made))
      return failure();
    update.slots.push_back(*made);
  }
  if (std::optional<double> decay = toDouble(minimize_.getMovingAverage())) {
    FailureOr<FlatSymbolRefAttr> made =
        getSlot(variable, getAverageName(variable.getSymName()), variable.getInitializer(),
                /*isCopy=*/true, insertAfter);
    if (failed(made))
      return failure();
    update.average = *made;
    update.averageDecay = *decay;
  }
  setDevice(optimizer_.buildApply(builder_, minimize_.getLoc(), update), getDevice(variable));
  return success();
}

} // namespace graphc
