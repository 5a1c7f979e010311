// The dist dialect's C++ face: include this to use any of its operations.
#ifndef GRAPHC_DIALECTS_DIST_DISTDIALECT_H
#define GRAPHC_DIALECTS_DIST_DISTDIALECT_H

#include "dialects/graph/GraphDialect.h"
#include "dialects/graph/KnownAttributeCheck.h"
#include "runtime/kernels/KernelRegistry.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace graphc::dist {

/// Everything a program says to or hears from the outside: channels, feeds, fetches.
struct ChannelResource : public mlir::SideEffects::Resource::Base<ChannelResource> {
  llvm::StringRef getName() final { return "dist channels"; }
};

/// What an operation does at its end of a channel. A channel has one Send and one Receive.
enum class ChannelEnd { Send, Complete, Receive, Release, Acquire };

/// Where `pack` puts values of these types (ranked tensors of one element type), in bytes, and how
/// many elements all take.
llvm::SmallVector<int64_t> getPackOffsets(mlir::TypeRange types, int64_t &elements);

/// Payload of a buffer in bytes.
uint64_t getBufferBytes(mlir::Value buffer);

/// How a kernel uses an argument, in the order of the plan's Access and of GraphcAccess
/// (KernelAbi.h).
enum class BufferAccess { Read, Write, ReadWrite };
/// By its attribute `dist.access`; nothing where that is none of "read", "write" and "read_write".
std::optional<BufferAccess> getAccess(mlir::FunctionOpInterface kernel, unsigned argument);

/// The function that has a kernel's loops once it is lowered (stage llvm). The one of the kernel's
/// own name calls it with the arguments of the kernel ABI.
std::string getBodyName(llvm::StringRef kernel);
/// The function with a kernel's loops, whose arguments say how they are used; null where the module
/// has none.
mlir::FunctionOpInterface findKernelBody(const mlir::SymbolTable &symbols, llvm::StringRef kernel);

/// How many buffers a kernel takes, lowered or not: its first arguments. One that is cut takes
/// numbers of blocks behind them.
unsigned getBufferCount(mlir::FunctionOpInterface kernel);

/// For how long an operation has a buffer that it names, beyond its own time.
enum class BufferHold {
  End, ///< it has not
  SendDone, ///< it is read until the channel's send_done
  AllReduceDone, ///< nobody else touches it until the channel's all_reduce_done
  StepEnd, ///< the host reads it behind the step's last operation
};

struct BufferEffect {
  mlir::Value buffer;
  BufferAccess access;
  BufferHold until = BufferHold::End;
};

/// The effects of an operation that uses these buffers only while it runs. Null values are left
/// out.
llvm::SmallVector<BufferEffect> plainEffects(llvm::ArrayRef<mlir::Value> reads,
                                             llvm::ArrayRef<mlir::Value> writes);

/// What a loop repeats, before and after `outline`; null for another operation.
mlir::Block *getLoopBody(mlir::Operation *op);
/// Whether it is a loop that sends or receives.
bool isTalkingLoop(mlir::Operation *op);

/// A call of a library's kernel on buffers or tensors of these types; says where the descriptor has
/// what no call can have.
mlir::FailureOr<kernels::LibraryCall>
makeLibraryCall(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::StringRef kernel,
                mlir::DictionaryAttr descriptor, llvm::ArrayRef<llvm::StringRef> postOps,
                mlir::TypeRange inputs, mlir::TypeRange outputs);

} // namespace graphc::dist

#include "dialects/dist/DistDialect.h.inc"
#include "dialects/dist/DistInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/dist/DistOps.h.inc"

#endif // GRAPHC_DIALECTS_DIST_DISTDIALECT_H
