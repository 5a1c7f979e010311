//===- LibraryKind.h - whose libraries serve a program ------------------------------*- C++ -*-===//
#ifndef GRAPHC_PASSES_LIBRARYKIND_H
#define GRAPHC_PASSES_LIBRARYKIND_H

#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

namespace graphc {

/// The kind of device whose libraries the program calls; empty where everything is to be compiled.
inline llvm::StringRef getLibraryKind(dist::ProgramOp program) {
  const bool none =
      program.runsPtx() && program->getParentOp()->hasAttr(graph::GraphDialect::kNoCublaslt);
  return none ? llvm::StringRef() : program.getDeviceKind();
}

} // namespace graphc
#endif
