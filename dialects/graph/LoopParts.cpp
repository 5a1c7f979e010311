#include "dialects/graph/LoopParts.h"

#include "dialects/graph/LoopParts.cpp.inc"
