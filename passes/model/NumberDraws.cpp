//===- NumberDraws.cpp - which draw of random numbers is which --------------------------------===//
#include "dialects/graph/DrawInterface.h"
#include "dialects/graph/GraphDialect.h"
#include "passes/Passes.h"

namespace graphc {
#define GEN_PASS_DEF_NUMBERDRAWS
#include "passes/Passes.h.inc"
} // namespace graphc

using namespace mlir;
using namespace graphc;
using namespace graphc::graph;

namespace {

struct NumberDrawsPass : graphc::impl::NumberDrawsBase<NumberDrawsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FuncOp>())
      if (function.getRole()) // what is private is drawn where it is called
        number(function);
  }

  static void number(FuncOp function) {
    SmallVector<DrawOpInterface> draws;
    llvm::DenseSet<uint64_t> given;
    function.walk([&](DrawOpInterface draw) {
      if (std::optional<uint64_t> its = draw.getGivenNumber())
        given.insert(*its);
      if (!draw.isNumbered())
        draws.push_back(draw);
    });
    const bool trains = function.getRole() == Role::Train;
    Value index;
    uint64_t next = 0;
    for (DrawOpInterface draw : draws) {
      std::optional<uint64_t> its = draw.getGivenNumber();
      if (!its) {
        while (given.contains(next))
          ++next;
        its = next++;
      }
      if (Value instead = trains ? Value() : draw.getOutsideTraining()) {
        draw->getResult(0).replaceAllUsesWith(instead);
        draw->erase();
        continue;
      }
      if (!index) {
        OpBuilder builder = OpBuilder::atBlockBegin(&function.getBodyBlock());
        index = MicroBatchIndexOp::create(builder, draw.getLoc());
      }
      draw.number(index, *its);
    }
  }
};

} // namespace
