//===- CreatedOps.h - the ops that passes make --------------------------------------------------------*- C++ -*-===//
//
// A pass knows no op that computes by its class: it asks interfaces (Structured.h, State.h). The few that passes make
// themselves, to say sums, means and parts, come from here, and where one has to be known again it is asked here.
// test/passes/op-names.test prints the list and keeps other names out of passes/ and runtime/.
//
//===----------------------------------------------------------------------------------------------------------===//
#ifndef GRAPHC_DIALECTS_GRAPH_CREATEDOPS_H
#define GRAPHC_DIALECTS_GRAPH_CREATEDOPS_H

#include "mlir/IR/Builders.h"

namespace graphc::graph {

class DeviceAttr;

/// A splat constant of a float or integer tensor type (the value rounded to the element type).
mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, double value);
/// The same values with the element type of `type`.
mlir::Value createConvert(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type);
/// graph.add: sums of gradients, of towers' values, of metrics.
mlir::Value createAdd(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);
bool isAdd(mlir::Operation *op);
/// graph.divide by a constant, the mean of a sum, both on `device`.
mlir::Value createMean(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value sum, int64_t count, DeviceAttr device);
/// Whether an op is one that createMean makes (or a division of the model's).
bool isMean(mlir::Operation *op);
/// graph.gradient_squares: of the gradient that the variable's update takes.
mlir::Value createGradientSquares(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef variable,
                                  mlir::Value gradient);
/// What keeps a norm within `limit`: limit / max(limit, norm), from gradients' squares by row, each variable's in its turn.
mlir::Value createClipScale(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> squares,
                            double limit);
/// Whether values of a tensor type are summed: those of i32, i64, f32 and f64.
bool hasSums(mlir::Type type);
/// The value where the micro-batch's number is a multiple of `every`, else what changes no sum, so that a sum over `every` micro-batches is
/// the first one's value to the bit.
mlir::Value createOfFirst(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t every);
/// graph.learning_rate: of a schedule at a step.
mlir::Value createLearningRate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value step,
                               mlir::Attribute schedule);
/// graph.slice: rows [row, row + rows) of a value, or what that folds to.
mlir::Value createRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t row, int64_t rows);
/// graph.concatenate: parts end to end along dimension 0, and whether an op is one.
mlir::Value createJoin(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange parts);
bool isJoin(mlir::Operation *op);
/// graph.assign_add of a constant: counts a step.
mlir::Operation *createIncrement(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef variable,
                                 mlir::Value by);

} // namespace graphc::graph

#endif
