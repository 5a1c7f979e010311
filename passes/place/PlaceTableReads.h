// Where rows of a variable are taken: where it is, so that their numbers travel there and they come
// back, or where they are used, to which all of it travels.
#ifndef GRAPHC_PASSES_PLACE_PLACETABLEREADS_H
#define GRAPHC_PASSES_PLACE_PLACETABLEREADS_H

#include "dialects/graph/TableInterfaces.h"
#include "passes/place/DistributionSpec.h"

namespace graphc {

/// The device of the variable of which the operation takes rows (TableReadOpInterface), where it
/// shall be done there; else null. It shall where nothing else of the function wants the variable's
/// value, where numbers and rows of a step are fewer bytes than the variable, and where the host's
/// threads reach the device's memory. `varying`: of the function (findVarying); the variable's
/// reads are placed.
graph::DeviceAttr findTableDevice(mlir::Operation *op, const DistributionSpec &distribution,
                                  const llvm::DenseSet<mlir::Operation *> &varying);

} // namespace graphc

#endif // GRAPHC_PASSES_PLACE_PLACETABLEREADS_H
