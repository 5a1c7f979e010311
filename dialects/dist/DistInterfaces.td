// What every operation at an end of a channel answers; the symbol verifier of dist.channel counts them through it.
#ifndef GRAPHC_DIST_INTERFACES_TD
#define GRAPHC_DIST_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Dist_ChannelEndOpInterface : OpInterface<"ChannelEndOpInterface"> {
  let cppNamespace = "::graphc::dist";
  let description = [{
    An operation that acts on channels. `ChannelEnd::Send` and `ChannelEnd::Receive` are the two ends proper, of which
    a channel has exactly one each; `Complete` (send_done), `Acquire` and `Release` belong to one of them.
  }];
  let methods = [
    InterfaceMethod<"Which end of the channel this is.", "::graphc::dist::ChannelEnd", "getChannelEnd">,
    InterfaceMethod<"The channels it acts on.", "::llvm::SmallVector<::mlir::FlatSymbolRefAttr>", "getUsedChannels">,
    InterfaceMethod<"Type of the value at this end (tensor or memref); null where it has none.", "::mlir::Type",
                    "getMessageType", (ins), "", "return {};">,
    InterfaceMethod<"True where it carries the chief's control word.", "bool", "isControl", (ins), "", "return false;">,
    InterfaceMethod<"True where it takes the messages of all instances of the sender at once.", "bool",
                    "takesWholeFamily", (ins), "", "return false;">,
    InterfaceMethod<"True where what this instance would send to itself is given.", "bool", "hasOwnMessage", (ins), "",
                    "return false;">,
  ];
}

#endif // GRAPHC_DIST_INTERFACES_TD
