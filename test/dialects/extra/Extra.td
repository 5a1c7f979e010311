//===- Extra.td - a dialect that only the tests have ---------------------------*- tablegen -*-===//
//
// Ops of every way to be computed that the graph dialect's interfaces know. Nothing in passes/ or
// runtime/ knows them: what they need there, every op gets.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_TEST_DIALECTS_EXTRA_EXTRA
#define GRAPHC_TEST_DIALECTS_EXTRA_EXTRA

include "dialects/graph/GraphOpsBase.td"
include "dialects/graph/LoopPartsInterface.td"

def Extra_Dialect : Dialect {
  let name = "extra";
  let cppNamespace = "::extra";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Extra_Op<string mnemonic, list<Trait> traits = []> : Op<Extra_Dialect, mnemonic, traits>;
class Extra_PureOp<string mnemonic, list<Trait> traits = []>
    : Extra_Op<mnemonic, !listconcat([Pure], traits)>;

defvar Extra_Loops = DeclareOpInterfaceMethods<ExplicitLoopsOpInterface>;
defvar Extra_Parts = DeclareOpInterfaceMethods<LoopPartsOpInterface>;

//===------------------------------------------------------------------------------------------===//
// Structured
//===------------------------------------------------------------------------------------------===//

def Extra_CubeOp
    : Extra_PureOp<"cube", [SameOperandsAndResultType, Graph_PlaceByPlace, Graph_Differentiable]> {
  let summary = "the third power: elementwise";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Extra_BellOp
    : Extra_PureOp<"bell", [SameOperandsAndResultType, Graph_PlaceByPlace, Graph_CostlyElement]> {
  let summary = "1 / (1 + x^2): elementwise, and costly to repeat";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Extra_PartsOp : Extra_PureOp<"parts", [AllTypesMatch<["operand", "positive", "negative"]>,
                                           Graph_PlaceByPlace, Graph_Differentiable]> {
  let summary = "max(x, 0) and max(-x, 0): elementwise, two results";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$positive, Graph_FloatTensor:$negative);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Extra_SumOfSquaresOp : Extra_PureOp<"sum_of_squares", [Graph_Reducing, Graph_Differentiable]> {
  let summary = "sum of squares along the last dimension: a reduction";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}

def Extra_MomentsOp : Extra_PureOp<"moments", [Graph_Reducing, Graph_Differentiable]> {
  let summary = "sum and sum of squares along the last dimension: a reduction with two results";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$sum, Graph_FloatTensor:$squares);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, results)";
}

//===------------------------------------------------------------------------------------------===//
// Loops of their own
//===------------------------------------------------------------------------------------------===//

def Extra_GatherOp : Extra_PureOp<"gather", [Extra_Loops, Extra_Parts, Graph_Differentiable]> {
  let summary =
      "rows of a table, by their numbers; an indexed read, with a part for each row of the result";
  let description = [{A number that is none of the table's rows reads the nearest.}];
  let arguments = (ins Graph_FloatTensor:$table, Graph_IndexTensor:$rows);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$table `,` $rows attr-dict `:` functional-type(operands, $result)";
}

def Extra_ScatterOp : Extra_PureOp<"scatter", [Extra_Loops]> {
  let summary = "a table of zeros to whose rows values are added: the gradient of gather";
  let arguments = (ins Graph_IndexTensor:$rows, Graph_FloatTensor:$values);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$rows `,` $values attr-dict `:` functional-type(operands, $result)";
}

def Extra_CumsumOp
    : Extra_PureOp<"cumsum", [SameOperandsAndResultType,
                              DeclareOpInterfaceMethods<ExplicitLoopsOpInterface, ["getAccess"]>,
                              Extra_Parts, Graph_Differentiable]> {
  let summary =
      "sums of the rows so far, from the last with `reverse`: a scan, in place, with a part for each column";
  let arguments = (ins Graph_FloatTensor:$operand, UnitAttr:$reverse);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

//===------------------------------------------------------------------------------------------===//
// Views
//===------------------------------------------------------------------------------------------===//

def Extra_FlatOp : Extra_PureOp<"flat", [Graph_View]> {
  let summary = "all elements in one dimension: the operand's memory";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}

//===------------------------------------------------------------------------------------------===//
// A library's
//===------------------------------------------------------------------------------------------===//

def Extra_AveragePoolOp
    : Extra_PureOp<
          "average_pool", [DeclareOpInterfaceMethods<LibraryKernelOpInterface, ["takesPostOp"]>,
                           Graph_Differentiable]> {
  let summary =
      "means over windows of the last two of three dimensions, times `scale`; no loops, a module serves it";
  let arguments = (ins Graph_FloatTensor:$operand, DenseI64ArrayAttr:$window, F64Attr:$scale);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}

def Extra_AddPerPlaneOp
    : Extra_PureOp<"add_per_plane", [AllTypesMatch<["operand", "result"]>, Graph_Structured,
                                     DeclareOpInterfaceMethods<LibraryPostOpInterface>,
                                     Graph_Differentiable]> {
  let summary =
      "a number added to each plane of three dimensions: a library call's last step, or elementwise";
  let arguments = (ins Graph_FloatTensor:$operand, Graph_FloatTensor:$numbers);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand `,` $numbers attr-dict `:` type($operand) `,` type($numbers)";
}

//===------------------------------------------------------------------------------------------===//
// Composite
//===------------------------------------------------------------------------------------------===//

def Extra_SoftplusOp
    : Extra_PureOp<"softplus", [SameOperandsAndResultType, Graph_Composite, Graph_Differentiable]> {
  let summary = "log(1 + exp(x)): other ops, one of them composite itself";
  let arguments = (ins Graph_FloatTensor:$operand);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

//===------------------------------------------------------------------------------------------===//
// State
//===------------------------------------------------------------------------------------------===//

def Extra_ApplyAdagradOp
    : Extra_Op<"apply_adagrad", [DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>,
                                 Graph_PlaceByPlace]> {
  let summary = "sum += gradient^2; variable -= learning_rate * gradient / sqrt(sum)";
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
      Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$sum, Graph_FloatTensor:$gradient,
      F64Attr:$learning_rate);
  let assemblyFormat = "$variable `,` $sum `,` $gradient attr-dict `:` type($gradient)";
}

def Extra_AdagradAttr
    : AttrDef<Extra_Dialect, "Adagrad", [DeclareAttrInterfaceMethods<OptimizerAttrInterface>]> {
  let mnemonic = "adagrad";
  let parameters = (ins "::mlir::FloatAttr":$learning_rate);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Extra_ApplyNormalizedOp
    : Extra_Op<
          "apply_normalized", [DeclareOpInterfaceMethods<UpdateOpInterface, ["appliesGradient"]>,
                               Extra_Loops]> {
  let summary =
      "variable -= learning_rate * gradient / |gradient|: an update with loops of its own";
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
      Graph_FloatTensor:$gradient, F64Attr:$learning_rate);
  let assemblyFormat = "$variable `,` $gradient attr-dict `:` type($gradient)";
}

def Extra_NormalizedAttr
    : AttrDef<Extra_Dialect, "Normalized", [DeclareAttrInterfaceMethods<OptimizerAttrInterface>]> {
  let mnemonic = "normalized";
  let parameters = (ins "::mlir::FloatAttr":$learning_rate);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===------------------------------------------------------------------------------------------===//
// Promises that are not kept
//===------------------------------------------------------------------------------------------===//

def Extra_CarelessOp
    : Extra_PureOp<"careless", [SameOperandsAndResultType,
                                DeclareOpInterfaceMethods<ExplicitLoopsOpInterface, ["getAccess"]>,
                                Extra_Parts]> {
  let summary = "loops that break the promise named by `breaks`";
  let description = [{
    `operand`: they write their operand. `result`: they do not write their result. `alloc`: they
    allocate. The others declare the operand aligned: `late` reads what it has written, `reversed`,
    `data` and `twice` another place, one that is data, each place in every iteration of a loop
    around; `first` is right, in two nests.
  }];
  let arguments = (ins Graph_FloatTensor:$operand, StrAttr:$breaks);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Extra_PeekOp : Extra_Op<"peek", [Graph_PlaceByPlace]> {
  let summary =
      "a variable's value and another one's sum: it reads, and is neither a read nor an update";
  let arguments = (ins Graph_VariableArg<[Graph_Reads]>:$variable, Graph_FloatTensor:$value);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$variable `,` $value attr-dict `:` functional-type($value, $result)";
}

def Extra_ApplyByCallOp
    : Extra_Op<"apply_by_call", [UpdateOpInterface,
                                 DeclareOpInterfaceMethods<LibraryKernelOpInterface>]> {
  let summary = "an update that a library is asked to make";
  let arguments = (ins Graph_VariableArg<[Graph_Reads, Graph_Writes]>:$variable,
      Graph_FloatTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Extra_CuriousOp : Extra_Op<"curious", [UpdateOpInterface, Extra_Loops]> {
  let summary = "an update that reads the variable, which by its effects it only writes";
  let arguments = (ins Graph_VariableArg<[Graph_Writes]>:$variable, Graph_FloatTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Extra_NamelessOp : Extra_Op<"nameless", [UpdateOpInterface, Graph_PlaceByPlace]> {
  let summary = "an update whose effects name no variable";
  let arguments = (ins FlatSymbolRefAttr:$variable, Graph_FloatTensor:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` type($value)";
}

def Extra_TalkativeOp : Extra_Op<"talkative", [UpdateOpInterface, Graph_PlaceByPlace]> {
  let summary = "an update with a result";
  let arguments = (ins Graph_VariableArg<[Graph_Writes]>:$variable, Graph_FloatTensor:$value);
  let results = (outs Graph_FloatTensor:$result);
  let assemblyFormat = "$variable `,` $value attr-dict `:` functional-type($value, $result)";
}

#endif
