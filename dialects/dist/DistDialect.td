// The dist dialect: which program runs where and what crosses between them.
#ifndef GRAPHC_DIALECTS_DIST_DISTDIALECT_TD
#define GRAPHC_DIALECTS_DIST_DISTDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let summary = "programs, the channels between them, and the phases they belong to";
  let description = [{
    `partition` replaces every function by a `dist.phase` and one `dist.program` a device that has
    something to do in it. What was an edge of the graph from one device to another is a
    `dist.channel` with one sending and one receiving program. The strategy makes some programs
    *replicated*: such a program has N identical instances over the replica domain of the module,
    which are never expanded before the runtime.

    Everything that communicates has effects on one resource, the channels of the program, so that
    no upstream pass drops, merges or reorders communication.
  }];
  let cppNamespace = "::graphc::dist";
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;
  }];
}

// Sends, receives, feeds and fetches read and write this: their order is part of the program's
// meaning.
def Dist_ChannelResource : Resource<"::graphc::dist::ChannelResource">;

// Refuses attributes that the op does not have (dialects/graph/KnownAttributeCheck.h).
def Dist_KnownAttributes : NativeOpTrait<"KnownAttributes">, StructuralOpTrait {
  let cppNamespace = "::graphc::graph";
}

// A graph.repeat may hold it, whatever its effects: its parent trait says where it stands
// (dialects/graph/KnownAttributeCheck.h).
def Dist_MayBeRepeated : NativeOpTrait<"MayBeRepeated"> { let cppNamespace = "::graphc::graph"; }

class Dist_Op<string mnemonic, list<Trait> traits = []>
    : Op<Dist_Dialect, mnemonic, !listconcat([Dist_KnownAttributes], traits)>;

#endif // GRAPHC_DIALECTS_DIST_DISTDIALECT_TD
