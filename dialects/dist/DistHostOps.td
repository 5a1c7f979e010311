// What a program takes from the host and gives to it: what the user feeds and fetches, and metrics.
#ifndef GRAPHC_DIALECTS_DIST_DISTHOSTOPS_TD
#define GRAPHC_DIALECTS_DIST_DISTHOSTOPS_TD

include "dialects/dist/DistOps.td"

def Dist_FeedOp : Dist_EndPointOp<"feed"> {
  let summary = "a value that the user gives";
  let description = [{
    An argument of the function.

    ```mlir
    %x = dist.feed "x" : tensor<4xf32>
    ```

    1. (N1) the name is not empty, has no control characters and at most 4,096 bytes
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs Dist_Value:$value);
  let assemblyFormat = "$name attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Dist_FetchOp : Dist_EndPointOp<"fetch", [Dist_HasBufferEffects]> {
  let summary = "a value that the user may ask for";
  let description = [{
    A result of the function or a summary; `reduction` says what it means over the replicas. With
    `micro_batches` the value is the sum over so many of each replica, of which the mean over all is
    wanted.

    ```mlir
    dist.fetch "loss", %loss {reduction = "mean"} : tensor<f32>
    ```

    1. (FE1) more than one of `micro_batches` only in a replicated program, and with the reduction
       "mean"
    2. (N1) as for `feed`
  }];
  let arguments = (ins StrAttr:$name, Dist_Value:$value,
      DefaultValuedAttr<Dist_ReductionAttr, "\"mean\"">:$reduction,
      DefaultValuedAttr<Dist_CountAttr, "1">:$micro_batches);
  let assemblyFormat = "$name `,` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Dist_MetricOp : Dist_EndPointOp<"metric", [Dist_HasBufferEffects]> {
  let summary = "an exact mean over the samples of a phase: sum and count of this step";
  let description = [{
    The host adds both over steps and replicas.

    ```mlir
    dist.metric "accuracy", %hits, %samples : tensor<i64>, tensor<i64>
    ```

    1. (M1) scalars; the sum is i64 or f64, the count i64
    2. (N1) as for `feed`
  }];
  let arguments = (ins StrAttr:$name, Dist_Value:$sum, Dist_Value:$count);
  let assemblyFormat = "$name `,` $sum `,` $count attr-dict `:` type($sum) `,` type($count)";
  let hasVerifier = 1;
}

#endif // GRAPHC_DIALECTS_DIST_DISTHOSTOPS_TD
