// What every operation at an end of a channel answers, which the symbol verifier of dist.channel
// counts them through; and what operations of a program of buffers do to memory.
#ifndef GRAPHC_DIALECTS_DIST_DISTINTERFACES_TD
#define GRAPHC_DIALECTS_DIST_DISTINTERFACES_TD

include "mlir/IR/OpBase.td"

def Dist_ChannelEndOpInterface : OpInterface<"ChannelEndOpInterface"> {
  let cppNamespace = "::graphc::dist";
  let description = [{
    An operation that acts on channels. `ChannelEnd::Send` and `ChannelEnd::Receive` are the two
    ends proper, of which a channel has exactly one each; `Complete` (send_done), `Acquire` and
    `Release` belong to one of them.
  }];
  let methods =
      [InterfaceMethod<"Which end of the channel this is.", "::graphc::dist::ChannelEnd",
                       "getChannelEnd">,
       InterfaceMethod<"The channels it acts on.", "::llvm::SmallVector<::mlir::FlatSymbolRefAttr>",
                       "getUsedChannels">,
       InterfaceMethod<"Type of the value at this end (tensor or memref); null where it has none.",
                       "::mlir::Type", "getMessageType", (ins), "", "return {};">,
       InterfaceMethod<
           "How many entries of dimension 0 its message has, or its messages have; null where they have all.",
           "::mlir::Value", "getMessageCount", (ins), "", "return {};">,
       InterfaceMethod<"True where it carries the control message.", "bool", "isControl", (ins), "",
                       "return false;">,
       InterfaceMethod<"True where it takes the messages of all instances of the sender at once.",
                       "bool", "takesAllInstances", (ins), "", "return false;">,
       InterfaceMethod<
           "True where its value is the messages of all instances, end to end along dimension 0.",
           "bool", "hasAllMessages", (ins), "", "return false;">,
       InterfaceMethod<"True where what this instance would send to itself is given.", "bool",
                       "hasOwnMessage", (ins), "", "return false;">,
  ];
}

def Dist_BufferEffectsOpInterface : OpInterface<"BufferEffectsOpInterface"> {
  let cppNamespace = "::graphc::dist";
  let description = [{
    An operation that a program of buffers may hold, but for those that only name memory
    (`dist.buffer`, `dist.variable_buffer`, `dist.constant_buffer`, `dist.view`). The answers are in
    the operation's definition (`Dist_PlainBodyOp`), or in a row of
    `dialects/dist/BufferEffects.cpp`; the plan's instructions have theirs in
    `runtime/common/plan/InstructionTable.cpp`.
  }];
  let methods = [InterfaceMethod<
                     [{
      Which buffers it reads and writes, and for how long it has them. `symbols` are the module's:
      how a kernel uses its arguments, it says itself. Fails with a diagnostic where it does not.
    }],
                     "::llvm::FailureOr<::llvm::SmallVector<::graphc::dist::BufferEffect>>",
                     "getBufferEffects", (ins "const ::mlir::SymbolTable &":$symbols)>,
  ];
}

// Of an operation that has a row there.
defvar Dist_HasBufferEffects = DeclareOpInterfaceMethods<Dist_BufferEffectsOpInterface>;

#endif // GRAPHC_DIALECTS_DIST_DISTINTERFACES_TD
