//===- GraphOpsBase.td - types, traits and base classes of graph ops -----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSBASE
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSBASE

include "dialects/graph/GraphAttrs.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===------------------------------------------------------------------------------------------===//
// Types: static, ranked, of a size that can be computed with, no encoding, no empty dimension
//===------------------------------------------------------------------------------------------===//

class Graph_TensorOf<string kinds, string words>
    : Type<
          CPred<"::graphc::graph::isGraphTensor($_self, ::graphc::graph::"#kinds#")">,
          "static ranked tensor of "#words#" with at most 16 dimensions, none of them empty, and 2^37 elements",
          "::mlir::RankedTensorType">;

def Graph_Tensor : Graph_TensorOf<"AnyKind", "i1, i8, ui8, i32, ui32, i64, bf16, f32 or f64">;
def Graph_NumberTensor
    : Graph_TensorOf<"AnyNumberKind", "i8, ui8, i32, ui32, i64, bf16, f32 or f64">;
def Graph_FloatTensor : Graph_TensorOf<"AnyFloatKind", "bf16, f32 or f64">;
/// What is summed over micro-batches and replicas.
def Graph_SumTensor : Graph_TensorOf<"NumberKind", "i32, i64, f32 or f64">;
/// What updates compute with, in the variable's own type.
def Graph_UpdateTensor : Graph_TensorOf<"FloatKind", "f32 or f64">;
/// What a data set gives.
def Graph_SampleTensor
    : Graph_TensorOf<"BoolKind | ::graphc::graph::NumberKind | ::graphc::graph::ByteKind",
                     "i1, i8, ui8, i32, i64, f32 or f64">;
def Graph_IndexTensor : Graph_TensorOf<"IntegerKind", "i32 or i64">;
def Graph_BoolTensor : Graph_TensorOf<"BoolKind", "i1">;
def Graph_IntegerTensor
    : Graph_TensorOf<"IntegerKind | ::graphc::graph::ByteKind | ::graphc::graph::WordKind",
                     "i8, ui8, i32, ui32 or i64">;
def Graph_BitTensor
    : Graph_TensorOf<
          "BoolKind | ::graphc::graph::IntegerKind | ::graphc::graph::ByteKind | ::graphc::graph::WordKind",
          "i1, i8, ui8, i32, ui32 or i64">;

/// What is computed once a step for all variables: a learning rate. Its type is not written.
def Graph_StepScalar
    : Type<
          CPred<
              "$_self == ::mlir::RankedTensorType::get({}, ::mlir::Float64Type::get($_self.getContext()))">,
          "tensor<f64>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF64Type())">;
/// The number of updates so far.
def Graph_StepCount
    : Type<
          CPred<
              "$_self == ::mlir::RankedTensorType::get({}, ::mlir::IntegerType::get($_self.getContext(), 64))">,
          "tensor<i64>", "::mlir::RankedTensorType">,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

//===------------------------------------------------------------------------------------------===//
// Attributes
//===------------------------------------------------------------------------------------------===//

/// What a plan keeps in 32 bits: how many, and which of them.
def Graph_CountAttr : ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<4294967295>]>;
def Graph_WhichAttr : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<4294967295>]>;
/// Elements that are at hand; a plan has no others.
def Graph_DenseAttr
    : ConfinedAttr<
          ElementsAttr, [AttrConstraint<CPred<"::llvm::isa<::mlir::DenseElementsAttr>($_self)">,
                                        "whose elements are written as dense<…>">]>;

//===------------------------------------------------------------------------------------------===//
// Effects: one resource a kind of state, so that upstream passes neither drop nor reorder what
// touches it
//===------------------------------------------------------------------------------------------===//

def VariableResource : Resource<"::graphc::graph::VariableResource">;
def DatasetResource : Resource<"::graphc::graph::DatasetResource">;
def ReportResource : Resource<"::graphc::graph::ReportResource">;
/// A variable that an op reads, writes or both; VariableAccess.h asks for them.
defvar Graph_Reads = MemRead<VariableResource>;
defvar Graph_Writes = MemWrite<VariableResource>;
class Graph_VariableArg<list<MemoryEffect> effects> : Arg<FlatSymbolRefAttr, "", effects>;
class Graph_OptionalVariableArg<list<MemoryEffect> effects>
    : Arg<OptionalAttr<FlatSymbolRefAttr>, "", effects>;

//===------------------------------------------------------------------------------------------===//
// Base classes and traits
//===------------------------------------------------------------------------------------------===//

/// Refuses attributes that the op does not have (KnownAttributeCheck.h). Structural traits are
/// verified first, so that a misspelt name is named and not the attribute that is missing instead.
def Graph_KnownAttributes : NativeOpTrait<"KnownAttributes">, StructuralOpTrait {
  let cppNamespace = "::graphc::graph";
}

/// Its loops move elements, or look at their bits, and take those of every type as they are.
def Graph_AnyElement : NativeOpTrait<"AnyElement"> { let cppNamespace = "::graphc::graph"; }
/// An element that is made of nothing, in the padding alone, is the least number of the result's
/// type.
def Graph_LeastOfNothing : NativeOpTrait<"LeastOfNothing"> { let cppNamespace = "::graphc::graph"; }
/// To compute an element twice costs more than to keep it.
def Graph_CostlyElement : NativeOpTrait<"CostlyElement"> { let cppNamespace = "::graphc::graph"; }

/// The two sections of docs/dialects/graph.md. An op belongs to the first unless it says otherwise.
def Graph_ModelOps : OpDocGroup {
  let summary = "Operations of models";
  let description = [{
    The ops that a model file is written with. [ops.md](../ops.md) lists them by purpose, beside
    the names that PyTorch and JAX have for them.
  }];
}
def Graph_PassOps : OpDocGroup {
  let summary = "Operations that passes create";
  let description = [{
    Gradients, updates, and what distribution adds: these ops appear in the output of
    `graphc --emit`; models do not use them.
  }];
}

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([Graph_KnownAttributes], traits)> {
  let opDocGroup = Graph_ModelOps;
}

defvar Graph_Cost = DeclareOpInterfaceMethods<CostOpInterface>;
defvar Graph_Composite = DeclareOpInterfaceMethods<DecomposableOpInterface>;
defvar Graph_Labelled = DeclareOpInterfaceMethods<LabelledOpInterface>;
defvar Graph_View = DeclareOpInterfaceMethods<ViewOpInterface>;
/// Computed by loops: at the same place of operands and outs, by loops of its own, or by such that
/// reduce.
defvar Graph_PlaceByPlace = DeclareOpInterfaceMethods<StructuredOpInterface>;
defvar Graph_Structured = DeclareOpInterfaceMethods<StructuredOpInterface, ["getLoopNests"]>;
defvar Graph_Reducing =
    DeclareOpInterfaceMethods<StructuredOpInterface, ["getLoopNests", "getStart"]>;
defvar Graph_Loops = DeclareOpInterfaceMethods<ExplicitLoopsOpInterface>;
defvar Graph_Differentiable = DeclareOpInterfaceMethods<DifferentiableOpInterface>;
defvar Graph_SymbolUser = DeclareOpInterfaceMethods<SymbolUserOpInterface>;

/// An op whose result depends on its operands alone.
class Graph_PureOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Pure, Graph_Cost], traits)>;

/// Inference of result types, run once before MLIR's own check of them: where the operands do not
/// fit, inference says so and verification ends; MLIR's check would add a second, empty error.
def Graph_InferenceFirst : NativeOpTrait<"InferenceFirst"> { let cppNamespace = "::graphc::graph"; }
def Graph_InferType : TraitList<[Graph_InferenceFirst, InferTypeOpAdaptor]>;

class Graph_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_PureOp<mnemonic,
                   !listconcat([SameOperandsAndResultType, Elementwise, Graph_Differentiable],
                               traits)> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

/// In the text an operand may be a scalar or a number too (ops/ScalarOperands.h).
class Graph_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Graph_PureOp<mnemonic, !listconcat([SameOperandsAndResultType, Elementwise], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &state) {
      return parseElementwise(parser, state, 2, /*mask=*/false);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printElementwise(printer, *this); }
  }];
}

#endif
