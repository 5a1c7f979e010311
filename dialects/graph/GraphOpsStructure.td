//===- GraphOpsStructure.td - variables, data sets, functions, scopes ----------*- tablegen -*-===//
#ifndef GRAPHC_DIALECTS_GRAPH_GRAPHOPSSTRUCTURE
#define GRAPHC_DIALECTS_GRAPH_GRAPHOPSSTRUCTURE

include "dialects/graph/GraphOpsBase.td"

def Graph_VariableOp : Graph_Op<"variable", [Symbol]> {
  let summary = "named state that lives from step to step";
  let description = [{
    `minimize` updates the trainable ones. `graph.slot_of` names the variable that an optimizer's
    slot belongs to. `aggregation` ("mean", "sum" or "first_replica") says what an assignment of a
    replicated function means. `drawn_as`: random initial values are those that the variable of this
    name would have. `split-variables` makes parts: `graph.part_of` says which rows of which
    variable one is, and the initializer is that of the whole, of which a part takes its own
    elements.

    1. (C1) The initializer fits the type, or where it is a part, that of the whole.
    2. (C2) `graph.slot_of` names another variable.
    3. (C3) A part has the type of the whole but for fewer rows, all of them rows of it.
    4. (C4) `aggregation` of "mean" or "sum" is of i32, i64, f32 or f64.
    5. (C5) `#graph.uninitialized` is for variables that a file may give: not `global_step`, nor an
       optimizer's slot but a moving average.

    ```mlir
    graph.variable @w : tensor<3x5xf32> = #graph.glorot_uniform<seed = 1>
    graph.variable @n : tensor<i64> = #graph.zeros {trainable = false}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<Graph_Tensor>:$type,
      InitializerAttrInterface:$initializer, DefaultValuedAttr<BoolAttr, "true">:$trainable,
      OptionalAttr<StrAttr>:$aggregation, OptionalAttr<StrAttr>:$drawn_as);
  let assemblyFormat = "$sym_name `:` $type `=` custom<Initializer>($initializer) attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type,
      "::graphc::graph::InitializerAttrInterface":$initializer, CArg<"bool", "true">:$trainable)>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTensorType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getType());
    }
    /// Payload in bytes; an i1 takes one byte.
    int64_t getBytes();
    /// Which rows of a variable of the model this is; null where it is one itself.
    ::graphc::graph::PartAttr getPart();
    /// The type that the initializer is for: its own, or the whole's.
    ::mlir::RankedTensorType getWholeType() {
      return getPart() ? getPart().getType() : getTensorType();
    }
  }];
}

def Graph_DatasetOp : Graph_Op<"dataset", [Symbol]> {
  let summary = "a source of samples";
  let description = [{
    The components are the types of one sample. `shuffle` draws a permutation an epoch from `seed`.
    `transforms` are done to components, whatever their order in the list: first
    `#graph.random_crop` and `#graph.random_flip`, for functions of role train alone, with draws
    from `seed`, epoch and sample, then the source's scale and offset, then `#graph.normalize`.

    1. (C1) The source fits the components.
    2. (C2) Each transform is of one of the components, fits it, and is the only one of its kind
       there.

    ```mlir
    graph.dataset @synth : (tensor<784xf32>, tensor<i32>) = #graph.synthetic<samples = 60000, seed = 7, limits = [0, 10]>
    ```
  }];
  let arguments =
      (ins SymbolNameAttr:$sym_name,
          TypedArrayAttrBase<
              TypeAttrOf<Graph_SampleTensor>,
              "component types, each a tensor of i1, i8, ui8, i32, i64, f32 or f64">:$components,
          DatasetSourceAttrInterface:$source, DefaultValuedAttr<BoolAttr, "false">:$shuffle,
          DefaultValuedAttr<I64Attr, "0">:$seed, OptionalAttr<ArrayAttr>:$transforms);
  let assemblyFormat =
      "$sym_name `:` custom<ComponentTypes>($components) `=` custom<Source>($source) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getComponentTypes();
  }];
}

def Graph_FuncOp : Graph_Op<"func", [AffineScope, IsolatedFromAbove,
                                     DeclareOpInterfaceMethods<FunctionOpInterface, []>]> {
  let summary = "what one step of a phase computes, or a part of it that graph.call names";
  let description = [{
    Arguments are feeds and results fetches; both may be named by `graph.name`. Results may say by
    `graph.reduction` what they mean over replicas. Removed by `partition`. With `moving_averages`
    the function reads those of the variables that have one (`graph.minimize`). A private function
    is what `graph.call` stands for; it has no role, and is removed by `inline-calls`.

    1. (C1) The body is one block.
    2. (C2) `minimize` stands only in functions of role train.
    3. (C3) `moving_averages` stands only on functions of another role.
    4. (C4) A function has a role, or is private and has none.
    5. (C5) A private function has no `moving_averages`, and its arguments and results no
       attributes: the function that calls it has them.

    ```mlir
    graph.func @predict(%x: tensor<4x3xf32> {graph.name = "x"}) -> (tensor<4xi32> {graph.name = "class"})
        attributes {role = #graph.role<predict>} {
      %c = graph.argmax %x dimension = 1 : (tensor<4x3xf32>) -> tensor<4xi32>
      graph.return %c : tensor<4xi32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs, OptionalAttr<Graph_RoleAttr>:$role,
      UnitAttr:$moving_averages);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::mlir::LogicalResult verifyType();
    /// The name a feed uses: `graph.name`, else "argN".
    std::string getArgumentName(unsigned index);
    /// The name a fetch uses: `graph.name`, else "resultN".
    std::string getResultName(unsigned index);
    ::mlir::Block &getBodyBlock() { return getBody().front(); }
  }];
}

def Graph_CallOp : Graph_Op<"call", [Graph_SymbolUser]> {
  let summary = "what a private function computes";
  let description = [{
    The function's body stands here, once for each call; variables are the module's, so that all
    calls share them. Its ops get the call's `graph.device` and `graph.colocate_with` as those of a
    `graph.scope` do, and those with names the call's before it: `conv` in a call named `block1` is
    `block1/conv`, where the call has no name that of the function. Removed by `inline-calls`,
    before anything else looks at a function.

    1. (C1) `callee` names a private `graph.func`.
    2. (C2) Operands and results have the types of its arguments and results.

    ```mlir
    graph.func private @square(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = graph.multiply %x, %x : tensor<3xf32>
      graph.return %y : tensor<3xf32>
    }
    graph.func @f(%a: tensor<3xf32>) -> tensor<3xf32> attributes {role = #graph.role<predict>} {
      %b = graph.call @square(%a) {graph.name = "first"} : (tensor<3xf32>) -> tensor<3xf32>
      graph.return %b : tensor<3xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Graph_Tensor>:$operands);
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let assemblyFormat =
      "$callee `(` $operands `)` attr-dict `:` functional-type($operands, $outputs)";
}

def Graph_ReturnOp : Graph_Op<"return", [Terminator, Pure, HasParent<"FuncOp">]> {
  let summary = "ends a function and gives its results";
  let description = [{
    1. (C1) The operands have the function's result types.

    ```mlir
    graph.return %loss : tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Graph_ScopeOp
    : Graph_Op<"scope", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
                         NoRegionArguments]> {
  let summary = "ops that share a device";
  let description = [{
    The scope's `graph.device` fills what the devices of the ops inside leave open, its
    `graph.colocate_with` that of those that have none. Values go in freely and come out through
    `graph.yield`. Removed by `flatten-scopes`, before anything else looks at a function.

    With `graph.device_rule` a scope is what TensorFlow calls a device function. It is for the
    variables that are first used inside and have no device of their own: `"round_robin"` deals them
    in declaration order to the devices that the scope's device leaves open, `"balanced"` by bytes,
    and the ops stay where the scopes around say; `"pin"` puts them and the ops on one.

    1. (C1) `graph.yield` gives the scope's result types.

    ```mlir
    %h = graph.scope -> (tensor<4x5xf32>) attributes {graph.device = #graph.device<"/job:worker/gpu:1">} {
      %m = graph.matmul %a, %b : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
      graph.yield %m : tensor<4x5xf32>
    }
    ```
  }];
  let results = (outs Variadic<Graph_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` `(` type($outputs)^ `)`)? attr-dict-with-keyword $body";
}

def Graph_RepeatOp
    : Graph_Op<"repeat", [RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">,
                          NoRegionArguments]> {
  let opDocGroup = Graph_PassOps;
  let summary = "all micro-batches of a step but the last, and the partial sums that wait for it";
  let description = [{
    Made by `replicate`. The body is one micro-batch, or one of each tower, and runs `count` times;
    the i-th time a `next_batch` takes the micro-batch behind its `micro_batch` by i, and a
    `micro_batch_index` is that of it. What it yields is summed over the times and the one that
    follows the loop, `per_leaf` of them to a leaf, by the tree of runtime/common/plan/SumTree.h.
    The results are, for each yielded value, the sums that are kept: that of the leaf under way
    where `per_leaf` is above 1, then those of 1, 2, 4, … leaves, of which those wait whose bit is
    set in the number of leaves that are done. With the last value v all is r_last + (… + (r_1 +
    (r_0 + v))) over those that wait. What is inside may be on several devices: then `partition`
    makes a loop in each program, and what crosses is sent in each iteration.

    1. (C1) `count` + 1 values are whole leaves of `per_leaf`.
    2. (C2) For each value that `graph.yield` gives as many results of its type as sums are kept.
    3. (C3) What is inside is no loop, and has no effect but to take batches, and, once partitioned,
       to send and receive; the batches of `count` times are among the step's.
    4. (C4) `count` is below 2^31.

    ```mlir
    %sums:3 = graph.repeat 7 -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) attributes {per_leaf = 2} {
      %x = graph.next_batch @train {batch = 3, micro_batches = 8} : tensor<3xf32>
      graph.yield %x : tensor<3xf32>
    }
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntPositive]>:$count,
      DefaultValuedAttr<Graph_CountAttr, "1">:$per_leaf);
  let results = (outs Variadic<Graph_SumTensor>:$partials);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count (`->` `(` type($partials)^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Sums that are kept of each value.
    unsigned getKept() { return getKept(getCount(), getPerLeaf()); }
    static unsigned getKept(uint64_t count, uint64_t perLeaf) {
      return unsigned(std::bit_width((count + 1) / perLeaf - 1)) + (perLeaf > 1);
    }
    /// Of which of the body's values a result is a sum.
    ::mlir::Value getYielded(::mlir::OpResult partial) {
      return getBody().front().getTerminator()->getOperand(partial.getResultNumber() / getKept());
    }
    /// Whether the i-th of them waits for the last value.
    bool waits(unsigned i) {
      const bool hasLeaf = getPerLeaf() > 1;
      return (hasLeaf && i == 0) || (((getCount() + 1) / getPerLeaf() - 1) >> (i - hasLeaf) & 1);
    }
  }];
}

def Graph_YieldOp
    : Graph_Op<"yield", [Terminator, Pure, ParentOneOf<["ScopeOp", "RepeatOp"]>, ReturnLike]> {
  let summary = "ends a scope or what is repeated and gives its values";
  let description = [{
    ```mlir
    graph.yield %m : tensor<4x5xf32>
    ```

    1. (C1) The operands have the types of the scope's results.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let hasVerifier = 1;
}

#endif
