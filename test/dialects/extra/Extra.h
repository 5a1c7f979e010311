//===- Extra.h - a dialect that only the tests have ---------------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_DIALECTS_EXTRA_EXTRA_H
#define GRAPHC_TEST_DIALECTS_EXTRA_EXTRA_H

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/LoopPartsInterface.h"

#include "test/dialects/extra/ExtraDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "test/dialects/extra/ExtraAttrs.h.inc"

#define GET_OP_CLASSES
#include "test/dialects/extra/ExtraOps.h.inc"

#endif
