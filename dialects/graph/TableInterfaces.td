//===- TableInterfaces.td - tables of which an op touches few rows -------------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_TABLEINTERFACES
#define GRAPHC_DIALECTS_GRAPH_TABLEINTERFACES

include "mlir/IR/OpBase.td"

def TableReadOpInterface : OpInterface<"TableReadOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op that takes rows of a table by numbers that are data, and looks at nothing else of the
    table. What stands at a place of the result's leading dimensions, those of the numbers, follows
    from the number there: numbers end to end along dimension 0 give results end to end. So the op
    may be done where the table is, for several at once.
  }];
  let methods = [InterfaceMethod<"The table.", "::mlir::OpOperand &", "getTableOperand", (ins)>,
                 InterfaceMethod<"The numbers.", "::mlir::OpOperand &", "getNumbersOperand", (ins)>,
                 InterfaceMethod<"The number of the table's first row.", "int64_t",
                                 "getFirstNumber", (ins)>,
                 InterfaceMethod<[{
      Builds the result from rows that were taken: `places` has for each number which of them is
      its, from 0 on, or -1 for a number that is none of the table's.
    }],
                                 "::mlir::Value", "buildFromRows",
                                 (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$rows,
                                     "::mlir::Value":$places)>,
                 InterfaceMethod<[{
      Builds the result from parts of the table: rows `first[i]` and those behind it are `parts[i]`,
      in order, and all of them. Each part is read by such an op of its own.
    }],
                                 "::mlir::Value", "buildFromParts",
                                 (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$parts,
                                     "::llvm::ArrayRef<int64_t>":$first)>];
}

def RowGradientOpInterface : OpInterface<"RowGradientOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description = [{
    An op whose result is zero but for the rows that its numbers name: each is the sum of the rows
    that stand at its number, in their order, from zero on. A number that is none of the rows is
    left out. So sums of several such results follow from their numbers and rows (`createRowSums`).
  }];
  let methods =
      [InterfaceMethod<"The numbers.", "::mlir::OpOperand &", "getNumbersOperand", (ins)>,
       InterfaceMethod<"A row for each.", "::mlir::OpOperand &", "getRowsOperand", (ins)>,
       InterfaceMethod<"The number of the result's first row.", "int64_t", "getFirstNumber", (ins)>,
       InterfaceMethod<
           "Builds the same result, of `count` rows, from other numbers, of which 0 is the first row, and rows.",
           "::mlir::Value", "buildFrom",
           (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$numbers, "::mlir::Value":$rows,
               "int64_t":$count)>,
       InterfaceMethod<"Builds `count` rows of the result, from `first` on.", "::mlir::Value",
                       "buildPart",
                       (ins "::mlir::OpBuilder &":$builder, "int64_t":$first, "int64_t":$count)>];
}

def RowUpdateOpInterface : OpInterface<"RowUpdateOpInterface"> {
  let cppNamespace = "::graphc::graph";
  let description =
      [{An update by a gradient (UpdateOpInterface) that may leave alone, bit for bit, what the
        gradient has zeros for.}];
  let methods = [InterfaceMethod<[{
      Builds the update of the rows that `numbers` name, each at most once, by the gradient's rows;
      a number that is none is left out. Null where other rows would change by a gradient of zero.
    }],
                                 "::mlir::Operation *", "buildRowUpdate",
                                 (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$numbers,
                                     "::mlir::Value":$rows)>];
}

#endif
