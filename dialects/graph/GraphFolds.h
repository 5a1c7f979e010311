// Which constants folds compute; private to this folder.
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHFOLDS_H
#define GRAPHC_DIALECTS_GRAPH_GRAPHFOLDS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace graphc::graph {

/// Larger constants are computed only where they are splats, which cost nothing to keep.
inline constexpr int64_t kFoldedElements = 256;

inline bool isFoldable(mlir::DenseElementsAttr value) {
  return value && (value.isSplat() || value.getNumElements() <= kFoldedElements);
}

} // namespace graphc::graph

#endif // GRAPHC_DIALECTS_GRAPH_GRAPHFOLDS_H
