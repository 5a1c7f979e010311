//===- GraphFolds.cpp - folds and canonicalisations -----------------------------------------------------------===//
#include "dialects/graph/GraphDialect.h"

using namespace mlir;
using namespace graphc::graph;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }
