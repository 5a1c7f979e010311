//===- StablehloToGraph.cpp - the ops of StableHLO in the words of the graph dialect ----------===//
//
// Most ops have the same name and meaning in both (docs/rationale-graph.md), and differ in how
// attributes are written. One function a kind of op, and a table of them; reductions, and what is
// known by the body of a region, are in StablehloReductionsToGraph.cpp, convolutions and windows in
// StablehloWindowsToGraph.cpp, functions that the graph dialect has no op for in
// StablehloMathToGraph.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "dialects/stablehlo/StablehloToGraph.h"

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/ops/ComputeOps.h"
#include "dialects/graph/ops/PassOpBuilders.h"
#include "dialects/stablehlo/ImportedOp.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace graphc;
using namespace graphc::stablehlo;

namespace {

using Result = FailureOr<ImportResult>;

/// The op of that name, which has no attribute but how exact it has to be: ours are within a few
/// units in the last place.
Result importAsIs(ImportedOp &op) {
  op.ignore({"result_accuracy"});
  return ImportedOp::one(op.make(withoutDialect(op.op), op.type(), op.operands));
}

/// The op of that name, with these attributes.
Result importWith(ImportedOp &op, ArrayRef<StringRef> names) {
  SmallVector<NamedAttribute> attributes;
  for (StringRef name : names) {
    FailureOr<IntegerList> numbers = op.numbers(name);
    if (failed(numbers))
      return failure();
    attributes.push_back(op.named(name, *numbers));
  }
  return ImportedOp::one(op.make(withoutDialect(op.op), op.type(), op.operands, attributes));
}

/// Whether all elements of a value that has been imported are `number`: a constant, or a scalar
/// that is repeated.
bool isSplatOf(Value value, double number) {
  DenseElementsAttr constant = getSplat(value);
  auto element = constant ? dyn_cast<FloatAttr>(constant.getSplatValue<Attribute>()) : FloatAttr();
  return element && element.getValueAsDouble() == number;
}

/// JAX writes the logistic function as 1 / (1 + exp(-x)), whose parts have no derivative where the
/// exponential is infinite; the function has.
Result importDivide(ImportedOp &op) {
  Operation *sum = isSplatOf(op.operands[0], 1) ? getOp(op.operands[1], "graph.add") : nullptr;
  for (unsigned i = 0; sum && i < 2; ++i) {
    Operation *power = isSplatOf(sum->getOperand(i), 1)
                           ? getOp(sum->getOperand(1 - i), "graph.exponential")
                           : nullptr;
    if (Operation *negated = power ? getOp(power->getOperand(0), "graph.negate") : nullptr)
      return ImportedOp::one(op.make("logistic", op.type(), negated->getOperand(0)));
  }
  return importAsIs(op);
}

Result importConstant(ImportedOp &op) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(op.get("value"));
  if (!value)
    return op.error() << "has no attribute 'value' of dense elements";
  // passes/import/PrepareStablehlo.h
  if (value.getElementType().isUnsignedInteger(64) &&
      op.type().getElementType().isSignlessInteger(64))
    value = DenseElementsAttr::getFromRawBuffer(value.getType().clone(op.type().getElementType()),
                                                value.getRawData());
  return ImportedOp::one(
      op.make("constant", op.type(), {}, op.builder.getNamedAttr("value", value)));
}

Result importIota(ImportedOp &op) {
  FailureOr<int64_t> dimension = op.number("iota_dimension");
  if (failed(dimension))
    return failure();
  return ImportedOp::one(op.make("iota", op.type(), {}, op.named("dimension", *dimension)));
}

/// Places in i32 or i64, which the graph dialect has alone.
Value asIndices(ImportedOp &op, Value places) {
  auto type = cast<RankedTensorType>(places.getType());
  Type element = type.getElementType();
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64) || !isa<IntegerType>(element))
    return places;
  const unsigned bits = element.getIntOrFloatBitWidth() < 32 ? 32 : 64;
  return op.make("convert", RankedTensorType::get(type.getShape(), op.builder.getIntegerType(bits)),
                 places);
}

/// The operands, of which those from `first` on are places.
SmallVector<Value> withIndices(ImportedOp &op, unsigned first) {
  SmallVector<Value> operands(op.operands);
  for (Value &operand : llvm::drop_begin(operands, first))
    operand = asIndices(op, operand);
  return operands;
}

Result importDynamicSlice(ImportedOp &op) {
  FailureOr<IntegerList> sizes = op.numbers("slice_sizes");
  if (failed(sizes))
    return failure();
  return ImportedOp::one(
      op.make("dynamic_slice", op.type(), withIndices(op, 1), op.named("slice_sizes", *sizes)));
}

Result importDynamicUpdateSlice(ImportedOp &op) {
  return ImportedOp::one(op.make("dynamic_update_slice", op.type(), withIndices(op, 2)));
}

Result importReverse(ImportedOp &op) {
  FailureOr<IntegerList> dimensions = op.numbers("dimensions");
  if (failed(dimensions))
    return failure();
  llvm::sort(*dimensions);
  return ImportedOp::one(
      op.make("reverse", op.type(), op.operands, op.named("dimensions", *dimensions)));
}

Result importArithmetic(ImportedOp &op) {
  const StringRef name = withoutDialect(op.op);
  return ImportedOp::one(
      op.make(isOfTruth(op.type()) ? ofTruth(name) : name, op.type(), op.operands));
}

/// 0 or 1.
Value asNumber(ImportedOp &op, Value truth) {
  auto type = cast<RankedTensorType>(truth.getType());
  return isOfTruth(type)
             ? op.make("convert", RankedTensorType::get(type.getShape(), op.builder.getI32Type()),
                       truth)
             : truth;
}

Result importConcatenate(ImportedOp &op) {
  FailureOr<int64_t> dimension = op.number("dimension");
  if (failed(dimension))
    return failure();
  return ImportedOp::one(
      op.make("concatenate", op.type(), op.operands, op.named("dimension", *dimension)));
}

/// Ours has increasing dimensions: the operand's are put in that order before.
Result importBroadcastInDim(ImportedOp &op) {
  FailureOr<IntegerList> dimensions = op.numbers("broadcast_dimensions");
  if (failed(dimensions))
    return failure();
  Value operand = op.operands[0];
  if (operand.getType() == op.type() && llvm::equal(*dimensions, llvm::seq<int64_t>(0, op.rank())))
    return ImportedOp::one(operand);
  if (!llvm::is_sorted(*dimensions) && int64_t(dimensions->size()) == op.rank()) {
    IntegerList order = llvm::to_vector(llvm::seq<int64_t>(0, op.rank()));
    llvm::sort(order, [&](int64_t a, int64_t b) { return (*dimensions)[a] < (*dimensions)[b]; });
    operand = op.transpose(operand, order);
    llvm::sort(*dimensions);
  }
  return ImportedOp::one(op.make("broadcast_in_dim", op.type(), operand,
                                 op.named("broadcast_dimensions", *dimensions)));
}

Result importCompare(ImportedOp &op) {
  FailureOr<StringRef> direction = op.word("comparison_direction");
  if (failed(direction))
    return failure();
  if (Attribute kind = op.get("compare_type"); kind == op.builder.getStringAttr("TOTALORDER"))
    return ImportedOp::cannot("by total order");
  std::optional<graph::Comparison> relation = graph::symbolizeComparison(direction->lower());
  if (!relation)
    return op.error() << "has the comparison direction " << *direction
                      << "; expected EQ, NE, LT, LE, GT or GE";
  SmallVector<Value> operands(op.operands);
  if (*relation != graph::Comparison::EQ && *relation != graph::Comparison::NE)
    for (Value &operand : operands)
      operand = asNumber(op, operand);
  auto attribute = graph::ComparisonAttr::get(op.builder.getContext(), *relation);
  return ImportedOp::one(
      op.make("compare", op.type(), operands, op.builder.getNamedAttr("relation", attribute)));
}

Result importSelect(ImportedOp &op) {
  auto predicate = op.type().clone(op.operandType().getElementType());
  Value chosen = op.rank() == 0 ? op.broadcast(op.operands[0], predicate) : op.operands[0];
  return ImportedOp::one(op.make("select", op.type(), {chosen, op.operands[1], op.operands[2]}));
}

Result importConvert(ImportedOp &op) {
  return ImportedOp::one(
      op.operandType() == op.type() ? op.operands[0] : op.make("convert", op.type(), op.operands));
}

/// A list in StableHLO's dimension numbers; empty where it is not given.
IntegerList fieldOf(DictionaryAttr fields, StringRef name) {
  auto numbers = fields.getAs<DenseI64ArrayAttr>(name);
  return numbers ? llvm::to_vector(numbers.asArrayRef()) : IntegerList();
}

/// Those of the fields that the graph dialect has under the same names. Another one is said.
FailureOr<SmallVector<NamedAttribute>> takeFields(ImportedOp &op, DictionaryAttr fields,
                                                  ArrayRef<StringRef> names) {
  for (NamedAttribute field : fields) {
    const StringRef name = field.getName();
    const bool isList = llvm::is_contained(names, name) && isa<DenseI64ArrayAttr>(field.getValue());
    if (!isList && !(name == "index_vector_dim" && isa<IntegerAttr>(field.getValue())))
      return op.error() << "has dimension numbers with '" << name
                        << "', which is not known or of another kind; expected "
                        << llvm::join(names, ", ");
  }
  return llvm::map_to_vector(names,
                             [&](StringRef name) { return op.named(name, fieldOf(fields, name)); });
}

Result importDotGeneral(ImportedOp &op) {
  op.ignore({"precision_config"}); // f32 is never rounded to less
  FailureOr<DictionaryAttr> fields = op.dictionary("dot_dimension_numbers");
  if (failed(fields))
    return failure();
  auto attributes = takeFields(op, *fields,
                               {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                "lhs_contracting_dimensions", "rhs_contracting_dimensions"});
  if (failed(attributes))
    return failure();
  return ImportedOp::one(op.makeProduct("dot_general", op.type(), op.operands, *attributes));
}

NamedAttribute indexVectorDim(ImportedOp &op, DictionaryAttr fields) {
  auto given = fields.getAs<IntegerAttr>("index_vector_dim");
  return op.named("index_vector_dim", given ? given.getInt() : 0);
}

/// Whether it takes whole rows of a table, by numbers that stand alone or in a last dimension of
/// one: an embedding.
bool takesRows(ImportedOp &op, DictionaryAttr fields, ArrayRef<int64_t> sizes) {
  const RankedTensorType table = op.operandType(0), indices = op.operandType(1);
  auto given = fields.getAs<IntegerAttr>("index_vector_dim");
  const int64_t vectors = given ? given.getInt() : 0, last = indices.getRank() - 1;
  const bool isOne = vectors == last + 1 ||
                     (last >= 0 && vectors == last && indices.getDimSize(unsigned(last)) == 1);
  return table.getRank() == 2 && isa<FloatType>(table.getElementType()) && isOne &&
         op.type().getRank() > 0 && sizes == ArrayRef<int64_t>{1, table.getDimSize(1)} &&
         fieldOf(fields, "offset_dims") == IntegerList{op.type().getRank() - 1} &&
         fieldOf(fields, "collapsed_slice_dims") == IntegerList{0} &&
         fieldOf(fields, "start_index_map") == IntegerList{0} &&
         fieldOf(fields, "operand_batching_dims").empty() &&
         (indices.getElementType().isSignlessInteger(32) ||
          indices.getElementType().isSignlessInteger(64));
}

/// A gather takes the nearest row where there is none of a number, an embedding zeros: the numbers
/// are brought within the table before.
ImportResult importRows(ImportedOp &op) {
  const RankedTensorType table = op.operandType(0), indices = op.operandType(1);
  auto number = RankedTensorType::get({}, indices.getElementType());
  RankedTensorType numbers = indices.clone(op.type().getShape().drop_back());
  const int64_t last = std::min(table.getDimSize(0) - 1,
                                llvm::maxIntN(indices.getElementType().getIntOrFloatBitWidth()));
  Value within = op.make("clamp", indices,
                         {op.splat(number, 0), op.operands[1], op.splat(number, double(last))});
  if (numbers != indices)
    within = op.make("reshape", numbers, within);
  return ImportedOp::one(op.make("embedding", op.type(), {op.operands[0], within}));
}

Result importGather(ImportedOp &op) {
  op.ignore({"indices_are_sorted"});
  FailureOr<DictionaryAttr> fields = op.dictionary("dimension_numbers");
  if (failed(fields))
    return failure();
  FailureOr<IntegerList> sizes = op.numbers("slice_sizes");
  if (failed(sizes))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes =
      takeFields(op, *fields,
                 {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                  "start_indices_batching_dims", "start_index_map"});
  if (failed(attributes))
    return failure();
  if (takesRows(op, *fields, *sizes))
    return importRows(op);
  attributes->push_back(indexVectorDim(op, *fields));
  attributes->push_back(op.named("slice_sizes", *sizes));
  return ImportedOp::one(op.make("gather", op.type(), withIndices(op, 1), *attributes));
}

/// One piece that takes the place of what was there, as a[:, 1:] = b: none where it would not lie
/// within.
Result importPiece(ImportedOp &op, DictionaryAttr fields) {
  const RankedTensorType type = op.operandType(0), indices = op.operandType(1),
                         updates = op.operandType(2);
  const IntegerList windows = fieldOf(fields, "update_window_dims"),
                    inserted = fieldOf(fields, "inserted_window_dims"),
                    places = fieldOf(fields, "scatter_dims_to_operand_dims");
  auto given = fields.getAs<IntegerAttr>("index_vector_dim");
  const int64_t vectors = given ? given.getInt() : 0;
  auto areDimensions = [](ArrayRef<int64_t> list, int64_t rank) { // each once, in their order
    return llvm::all_of(list, [&](int64_t i) { return i >= 0 && i < rank; }) &&
           std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end();
  };
  IntegerList inOrder = places;
  llvm::sort(inOrder);
  if (!areDimensions(windows, updates.getRank()) || !areDimensions(inserted, type.getRank()) ||
      !areDimensions(inOrder, type.getRank()) || vectors < 0 || vectors > indices.getRank() ||
      (vectors == indices.getRank() ? 1 : indices.getDimSize(unsigned(vectors))) !=
          int64_t(places.size()))
    return op.error() << "has dimension numbers that do not fit its operands, " << type << ", "
                      << indices << " and " << updates;
  if (indices.getNumElements() != int64_t(places.size()) ||
      !fieldOf(fields, "input_batching_dims").empty() ||
      int64_t(windows.size() + inserted.size()) != type.getRank())
    return ImportedOp::cannot("that sets several pieces");
  IntegerList sizes(size_t(type.getRank()), 1);
  const int64_t *window = windows.begin();
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (!llvm::is_contained(inserted, i))
      sizes[size_t(i)] = updates.getDimSize(unsigned(*window++));
  if (type.clone(sizes).getNumElements() != updates.getNumElements() ||
      llvm::any_of(llvm::zip(sizes, type.getShape()),
                   [](auto both) { return std::get<0>(both) > std::get<1>(both); }))
    return op.error() << "has updates, " << updates << ", that are no piece of " << type;
  Value all = asIndices(op, op.operands[1]);
  Type element = cast<RankedTensorType>(all.getType()).getElementType();
  const RankedTensorType list = RankedTensorType::get({int64_t(places.size())}, element),
                         one = list.clone({1}), scalar = RankedTensorType::get({}, element),
                         truth = RankedTensorType::get({}, op.builder.getI1Type());
  all = op.make("reshape", list, all);
  SmallVector<Value> operands = {op.operands[0],
                                 op.make("reshape", type.clone(sizes), op.operands[2])};
  operands.append(size_t(type.getRank()), op.splat(scalar, 0));
  Value isWithin;
  for (auto [i, dimension] : llvm::enumerate(places)) {
    const int64_t at = int64_t(i), end = at + 1, step = 1;
    Value piece = op.make("slice", one, all,
                          {op.named("start_indices", ArrayRef<int64_t>(at)),
                           op.named("limit_indices", ArrayRef<int64_t>(end)),
                           op.named("strides", ArrayRef<int64_t>(step))});
    Value start = operands[2 + size_t(dimension)] = op.make("reshape", scalar, piece);
    const double last =
        double(std::min(type.getDimSize(unsigned(dimension)) - sizes[size_t(dimension)],
                        llvm::maxIntN(element.getIntOrFloatBitWidth())));
    for (auto [relation, bound] :
         {std::pair(graph::Comparison::GE, 0.0), {graph::Comparison::LE, last}}) {
      auto attribute = graph::ComparisonAttr::get(op.builder.getContext(), relation);
      Value holds = op.make("compare", truth, {start, op.splat(scalar, bound)},
                            op.builder.getNamedAttr("relation", attribute));
      isWithin = isWithin ? op.make("and", truth, {isWithin, holds}) : holds;
    }
  }
  Value set = op.make("dynamic_update_slice", type, operands);
  Value everywhere =
      op.broadcast(isWithin, RankedTensorType::get(type.getShape(), op.builder.getI1Type()));
  return ImportedOp::one(op.make("select", type, {everywhere, set, op.operands[0]}));
}

Result importScatter(ImportedOp &op) {
  op.ignore({"indices_are_sorted", "unique_indices"});
  if (op.operands.size() != 3)
    return ImportedOp::cannot("of several operands");
  FailureOr<DictionaryAttr> fields = op.dictionary("scatter_dimension_numbers");
  if (failed(fields))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes =
      takeFields(op, *fields,
                 {"update_window_dims", "inserted_window_dims", "input_batching_dims",
                  "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"});
  if (failed(attributes))
    return failure();
  if (op.setsElements())
    return importPiece(op, *fields);
  if (op.combiner() != "add")
    return ImportedOp::cannot("that does not add");
  attributes->push_back(indexVectorDim(op, *fields));
  return ImportedOp::one(op.make("scatter", op.type(),
                                 {op.operands[0], asIndices(op, op.operands[1]), op.operands[2]},
                                 *attributes));
}

Result importTopK(ImportedOp &op) {
  FailureOr<int64_t> k = op.number("k");
  if (failed(k))
    return failure();
  if (op.op->getNumResults() != 2)
    return op.error() << "has " << op.op->getNumResults() << " results; expected 2";
  OperationState state(op.loc, "graph.top_k", op.operands, op.op->getResultTypes(),
                       op.named("k", *k));
  Operation *made = op.builder.create(state);
  return ImportResult{llvm::to_vector<2>(llvm::map_range(made->getResults(),
                                                         [](OpResult one) { return Value(one); })),
                      ""};
}

//===------------------------------------------------------------------------------------------===//
// What computes nothing
//===------------------------------------------------------------------------------------------===//

/// It keeps compilers from moving ops; here nothing does that needs to be kept from it.
Result importBarrier(ImportedOp &op) { return ImportResult{llvm::to_vector(op.operands), ""}; }

/// Of a program for one device it says nothing.
Result importShardingConstraint(ImportedOp &op) {
  op.ignore({"sharding"});
  return ImportedOp::one(op.operands[0]);
}

/// What a kind of op takes, and how it is imported.
struct Kind {
  StringRef name;
  Result (*import)(ImportedOp &);
  unsigned fewest, most; ///< operands
};

constexpr unsigned kAny = ~0u;

const Kind kKinds[] = {
    {"chlo.erf", importAsIs, 1, 1},
    {"chlo.erf_inv", importErfInv, 1, 1},
    {"chlo.erfc", importErfc, 1, 1},
    {"chlo.square", importSquare, 1, 1},
    {"chlo.tan", importTan, 1, 1},
    {"chlo.top_k", importTopK, 1, 1},
    {"sdy.sharding_constraint", importShardingConstraint, 1, 1},
    {"stablehlo.abs", importAsIs, 1, 1},
    {"stablehlo.add", importArithmetic, 2, 2},
    {"stablehlo.and", importAsIs, 2, 2},
    {"stablehlo.bitcast_convert", importBitcast, 1, 1},
    {"stablehlo.broadcast_in_dim", importBroadcastInDim, 1, 1},
    {"stablehlo.ceil", importAsIs, 1, 1},
    {"stablehlo.clamp", importAsIs, 3, 3},
    {"stablehlo.compare", importCompare, 2, 2},
    {"stablehlo.concatenate", importConcatenate, 1, kAny},
    {"stablehlo.constant", importConstant, 0, 0},
    {"stablehlo.convert", importConvert, 1, 1},
    {"stablehlo.convolution", importConvolution, 2, 2},
    {"stablehlo.cosine", importAsIs, 1, 1},
    {"stablehlo.count_leading_zeros", importAsIs, 1, 1},
    {"stablehlo.divide", importDivide, 2, 2},
    {"stablehlo.dot_general", importDotGeneral, 2, 2},
    {"stablehlo.dynamic_slice", importDynamicSlice, 1, kAny},
    {"stablehlo.dynamic_update_slice", importDynamicUpdateSlice, 2, kAny},
    {"stablehlo.exponential", importAsIs, 1, 1},
    {"stablehlo.exponential_minus_one", importAsIs, 1, 1},
    {"stablehlo.floor", importAsIs, 1, 1},
    {"stablehlo.gather", importGather, 2, 2},
    {"stablehlo.iota", importIota, 0, 0},
    {"stablehlo.is_finite", importAsIs, 1, 1},
    {"stablehlo.log", importAsIs, 1, 1},
    {"stablehlo.log_plus_one", importAsIs, 1, 1},
    {"stablehlo.logistic", importAsIs, 1, 1},
    {"stablehlo.maximum", importArithmetic, 2, 2},
    {"stablehlo.minimum", importArithmetic, 2, 2},
    {"stablehlo.multiply", importArithmetic, 2, 2},
    {"stablehlo.negate", importAsIs, 1, 1},
    {"stablehlo.not", importAsIs, 1, 1},
    {"stablehlo.optimization_barrier", importBarrier, 1, kAny},
    {"stablehlo.or", importAsIs, 2, 2},
    {"stablehlo.pad",
     [](ImportedOp &op) {
       return importWith(op, {"edge_padding_low", "edge_padding_high", "interior_padding"});
     },
     2, 2},
    {"stablehlo.popcnt", importAsIs, 1, 1},
    {"stablehlo.power", importAsIs, 2, 2},
    {"stablehlo.reduce", importReduce, 2, kAny},
    {"stablehlo.reduce_window", importReduceWindow, 2, kAny},
    {"stablehlo.remainder", importAsIs, 2, 2},
    {"stablehlo.reshape", importAsIs, 1, 1},
    {"stablehlo.reverse", importReverse, 1, 1},
    {"stablehlo.round_nearest_even", importAsIs, 1, 1},
    {"stablehlo.rsqrt", importAsIs, 1, 1},
    {"stablehlo.scatter", importScatter, 3, kAny},
    {"stablehlo.select", importSelect, 3, 3},
    {"stablehlo.shift_left", importAsIs, 2, 2},
    {"stablehlo.shift_right_arithmetic", importAsIs, 2, 2},
    {"stablehlo.shift_right_logical", importAsIs, 2, 2},
    {"stablehlo.sign", importAsIs, 1, 1},
    {"stablehlo.sine", importAsIs, 1, 1},
    {"stablehlo.slice",
     [](ImportedOp &op) { return importWith(op, {"start_indices", "limit_indices", "strides"}); },
     1, 1},
    {"stablehlo.sqrt", importAsIs, 1, 1},
    {"stablehlo.subtract", importAsIs, 2, 2},
    {"stablehlo.tan", importTan, 1, 1},
    {"stablehlo.tanh", importAsIs, 1, 1},
    {"stablehlo.transpose", [](ImportedOp &op) { return importWith(op, {"permutation"}); }, 1, 1},
    {"stablehlo.xor", importAsIs, 2, 2},
};

} // namespace

std::string graphc::stablehlo::findForeignType(Operation *op) {
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                            llvm::to_vector(op->getResultTypes())))
    if (!graph::isGraphTensor(type, graph::AnyKind)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return text;
    }
  return "";
}

FailureOr<ImportResult> graphc::stablehlo::toGraph(Operation *op, ValueRange operands,
                                                   OpBuilder &builder, Location location) {
  const StringRef name = op->getName().getStringRef();
  const Kind *kind = llvm::find_if(kKinds, [&](const Kind &one) { return one.name == name; });
  if (kind == std::end(kKinds))
    return ImportResult{};
  ImportedOp imported(op, operands, builder, location);
  if (operands.size() < kind->fewest || operands.size() > kind->most)
    return imported.error() << "has " << operands.size() << " operands; expected "
                            << (kind->most == kAny ? "at least " : "") << kind->fewest;
  if (op->getNumResults() == 0)
    return imported.error() << "has no result";
  if (op->getNumResults() != 1 && kind->import != importBarrier && kind->import != importReduce &&
      kind->import != importTopK)
    return ImportedOp::cannot("of several results");
  Result result = kind->import(imported);
  if (failed(result) || result->values.empty())
    return result;
  if (std::string names = imported.unknownAttributes(); !names.empty())
    return ImportedOp::cannot("with the attribute " + names);
  if (ValueRange(result->values).getTypes() != op->getResultTypes())
    return imported.error() << "has other results than its operands make";
  return result;
}
