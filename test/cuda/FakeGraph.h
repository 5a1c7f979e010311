//===- FakeGraph.h - graphs of the tests' CUDA driver -------------------------------*- C++ -*-===//
#ifndef GRAPHC_TEST_CUDA_FAKEGRAPH_H
#define GRAPHC_TEST_CUDA_FAKEGRAPH_H

#include "test/cuda/FakeDriver.h"

#include <deque>

namespace graphc::fake {

/// Of a copy: what each end is, and where.
struct Copy {
  bool toHost, fromHost;
  uint8_t *to, *from;
  size_t bytes;
};

struct Node {
  Graph *graph;
  Run run;
  std::vector<const Node *> after = {};
  std::optional<Copy> copy = {};
};

struct Graph {
  std::deque<Node> nodes; ///< their addresses are their names
  Node &add(Run run) { return nodes.emplace_back(Node{this, std::move(run)}); }
};

/// From now on it is known by its address, until cuGraphDestroy.
Graph *keep(std::unique_ptr<Graph> graph);

} // namespace graphc::fake
#endif
