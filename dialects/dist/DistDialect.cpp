#include "dialects/dist/DistDialect.h"

using namespace mlir;

#include "dialects/dist/DistDialect.cpp.inc"
#include "dialects/dist/DistInterfaces.cpp.inc"

namespace graphc::dist {

void DistDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/dist/DistOps.cpp.inc"
      >();
}

} // namespace graphc::dist

#define GET_OP_CLASSES
#include "dialects/dist/DistOps.cpp.inc"
