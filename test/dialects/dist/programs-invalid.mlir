// RUN: graph-opt %s --split-input-file --verify-diagnostics
// Programs.

// (PR1)
// expected-error @below {{belongs to the phase @nowhere, which this module does not declare}}
dist.program @a of @nowhere on "/job:s/task:0/device:CPU:0" {
  dist.end
}

// -----

// (PR2)
// expected-error @below {{is on "/job:s/task:0"; expected a complete device such as}}
dist.program @a of @p on "/job:s/task:0" {
  dist.end
}

// -----

// expected-error @below {{is on "cpu"; expected a complete device such as}}
dist.program @a of @p on "cpu" {
  dist.end
}

// -----

// (PR4)
// expected-error @below {{has 65537 instances; expected at most 65536}}
dist.program @a of @p on "/job:s/device:CPU:0" replicas(65537) {
  dist.end
}

// -----

// (PR2) one instance on no task
// expected-error @below {{has one instance but its device "/job:s/device:CPU:0" names no task}}
dist.program @a of @p on "/job:s/device:CPU:0" {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
// expected-error@+1 {{attribute 'dist.recompute_bytes' must be an i64 of 1 or more, on a program, got 0 : i64}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {dist.recompute_bytes = 0 : i64} {
  dist.end
}

// -----

dist.phase @p {role = #graph.role<predict>}
// expected-error@+1 {{attribute 'dist.recomputed' must be an array of four i64 of 0 or more, on a program, got array<i64: 1, 2>}}
dist.program @a of @p on "/job:t/task:0/device:CPU:0" attributes {dist.recomputed = array<i64: 1, 2>} {
  dist.end
}
