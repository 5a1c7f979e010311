// Every operation of the dialect has a row in the table of effects, or is one of those that need
// none.
#include "dialects/dist/DistDialect.h"
#include "dialects/graph/GraphDialect.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

using namespace graphc;

TEST(DistEffects, EveryOperationHasARow) {
  const std::set<std::string> withoutOne = {
      // structure
      "dist.phase", "dist.channel", "dist.program",
      // what only names memory
      "dist.buffer", "dist.variable_buffer", "dist.constant_buffer", "dist.view",
      // of tensors: outline replaces them
      "dist.feed", "dist.aggregate", "dist.aggregate_chosen", "dist.choose", "dist.collect",
      "dist.pack", "dist.unpack", "dist.after"};
  mlir::MLIRContext context;
  context.loadDialect<graph::GraphDialect, dist::DistDialect>();
  std::set<std::string> left = withoutOne;
  unsigned rows = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    const std::string text = name.getStringRef().str();
    if (name.getDialectNamespace() != "dist")
      continue;
    const bool hasRow = name.hasInterface<dist::BufferEffectsOpInterface>();
    rows += hasRow;
    EXPECT_NE(hasRow, withoutOne.contains(text))
        << text << ": give it a row in dialects/dist/BufferEffects.cpp";
    left.erase(text);
  }
  EXPECT_TRUE(left.empty()) << *left.begin() << " does not exist";
  EXPECT_GE(rows, 20u);
}
