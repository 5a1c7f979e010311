//===- TableInterfaces.h - tables of which an op touches few rows -------------------*- C++ -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_TABLEINTERFACES_H
#define GRAPHC_DIALECTS_GRAPH_TABLEINTERFACES_H

#include "dialects/graph/GraphDialect.h"

#include "mlir/IR/OpDefinition.h"

#include "dialects/graph/TableInterfaces.h.inc"

#endif
