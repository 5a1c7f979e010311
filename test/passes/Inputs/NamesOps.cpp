// What test/passes/op_names.py has to find; compiled by nobody.
bool a(Operation *op) { return isa<graph::TanhOp>(op); }
bool b(Operation *op) { return op->getName().getStringRef() == "graph.softmax"; }
bool c(Operation *op) { return isa<math::TanhOp, AddOp>(op); } // the second alone
bool d(Operation *op) { return isa<ReadOp>(op); }              // TanhOp in a comment is no test
bool e(Op *o) { return isa<extra::CubeOp>(o) || o->getName().getStringRef() == "extra.cumsum"; }
bool f(Operation *op) { return isa<vector::GatherOp>(op) || library(op) == "average_pool"; }
bool g(Attribute optimizer) { return isa<AdagradAttr>(optimizer); }
