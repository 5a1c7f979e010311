// Constraints on the attributes of dist operations.
#ifndef GRAPHC_DIALECTS_DIST_DISTATTRS_TD
#define GRAPHC_DIALECTS_DIST_DISTATTRS_TD

include "dialects/dist/DistDialect.td"

// How the host combines a fetched value over the replicas.
def Dist_ReductionAttr
    : StringBasedAttr<CPred<"::llvm::is_contained({\"mean\", \"sum\", \"first_replica\"}, "
                            "::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
                      "\"mean\", \"sum\" or \"first_replica\""> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let valueType = NoneType;
}

def Dist_ChannelListAttr : TypedArrayAttrBase<FlatSymbolRefAttr, "list of channels">;

def Dist_PositiveI64Attr : ConfinedAttr<I64Attr, [IntPositive]>;
/// What a plan keeps in 32 bits: how many, and which of them.
def Dist_CountAttr : ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<4294967295>]>;
def Dist_WhichAttr : ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<4294967295>]>;

#endif // GRAPHC_DIALECTS_DIST_DISTATTRS_TD
