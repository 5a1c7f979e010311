//===- PassOpBuilders.h - the ops that passes make ----------------------------------*- C++ -*-===//
//
// A pass knows no op that computes by its class: it asks interfaces (StructuredInterfaces.h,
// VariableAccess.h). The few that passes make themselves, to say sums, means and parts, come from
// here, and where one has to be known again it is asked here. test/passes/op-names.test prints the
// list and keeps other names out of passes/ and runtime/.
//
//===------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_OPS_PASSOPBUILDERS_H
#define GRAPHC_DIALECTS_GRAPH_OPS_PASSOPBUILDERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace graphc::graph {

class DeviceAttr;

/// A splat constant of a float or integer tensor type (the value rounded to the element type).
mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                        double value);
mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::DenseElementsAttr value);
/// No element below `bound`.
mlir::Value createAtLeast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          double bound);
/// The same values with the element type of `type`.
mlir::Value createConvert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          mlir::Type type);
/// graph.add: sums of gradients, of towers' values, of metrics.
mlir::Value createAdd(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);
bool isAdd(mlir::Operation *op);
/// Whether no gradient passes through an op that is differentiable: graph.stop_gradient, and steps
/// such as graph.floor.
bool stopsGradient(mlir::Operation *op);
/// graph.divide by a constant, the mean of a sum, both on `device`.
mlir::Value createMean(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sum, int64_t count,
                       DeviceAttr device);
/// Whether an op is one that createMean makes (or a division of the model's).
bool isMean(mlir::Operation *op);
/// graph.gradient_squares: of the gradient that the variable's update takes.
mlir::Value createGradientSquares(mlir::OpBuilder &builder, mlir::Location loc,
                                  llvm::StringRef variable, mlir::Value gradient);
/// What keeps a norm within `limit`: limit / max(limit, norm), from gradients' squares by row, each
/// variable's in its turn.
mlir::Value createClipScale(mlir::OpBuilder &builder, mlir::Location loc,
                            llvm::ArrayRef<mlir::Value> squares, double limit);
/// Whether values of a tensor type are summed: those of i32, i64, f32 and f64.
bool hasSums(mlir::Type type);
/// The value where the micro-batch's number is a multiple of `every`, else what changes no sum, so
/// that a sum over `every` micro-batches is the first one's value to the bit.
mlir::Value createOfFirst(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                          int64_t every);
/// graph.learning_rate: of a schedule at a step.
mlir::Value createLearningRate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value step,
                               mlir::Attribute schedule);
/// graph.slice: rows [row, row + rows) of a value, or what that folds to.
mlir::Value createRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t row,
                       int64_t rows);
/// graph.concatenate: parts end to end along dimension 0, and whether an op is one.
mlir::Value createJoin(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange parts);
bool isJoin(mlir::Operation *op);
/// graph.assign: the next value of a variable, and whether an op is one.
mlir::Operation *createAssign(mlir::OpBuilder &builder, mlir::Location loc,
                              llvm::StringRef variable, mlir::Value value);
bool isAssign(mlir::Operation *op);
/// graph.assign_add of a constant: counts a step.
mlir::Operation *createIncrement(mlir::OpBuilder &builder, mlir::Location loc,
                                 llvm::StringRef variable, mlir::Value by);
/// The gradient of a value that is used several times: the sum of the terms, of which there is one,
/// in their order. Where each is zero but for a stretch of one dimension, and no two of these
/// overlap (the gradients of a value that is cut into parts), nothing is added: they are put side
/// by side.
mlir::Value createGradientSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange terms);
/// graph.sum_rows: each number once, with the sum of its rows over all micro-batches. `table`: the
/// type of what has the rows.
struct RowSums {
  mlir::Value numbers, rows;
};
RowSums createRowSums(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value numbers,
                      mlir::Value rows, mlir::RankedTensorType table, int64_t firstRow,
                      int64_t microBatches, int64_t perLeaf);

/// graph.distinct: each number that is a row of the table once, in a list with -1 behind them;
/// where in it each number is, or -1; how many there are.
struct DistinctNumbers {
  mlir::Value numbers, places, count;
};
/// Those on `device` that are there already, or new ones at the builder's place.
DistinctNumbers distinctOn(mlir::OpBuilder &builder, DeviceAttr device, mlir::Value numbers,
                           int64_t firstRow, int64_t rows);
/// graph.count_front: of each of so many pieces of a list, likewise; a scalar of one.
mlir::Value countFrontOn(mlir::OpBuilder &builder, DeviceAttr device, mlir::Value list,
                         int64_t pieces);

} // namespace graphc::graph

#endif
