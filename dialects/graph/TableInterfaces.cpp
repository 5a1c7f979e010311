#include "dialects/graph/TableInterfaces.h"

#include "dialects/graph/TableInterfaces.cpp.inc"
