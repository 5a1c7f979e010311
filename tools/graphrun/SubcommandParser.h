//===- SubcommandParser.h - the command line of graphrun show, status and explain ---*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_SUBCOMMANDPARSER_H
#define GRAPHC_TOOLS_GRAPHRUN_SUBCOMMANDPARSER_H

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>

namespace graphc::graphrun {

/// Reads it as graphrun's own (RunFlags.h). An exit status where there is nothing more to do: help,
/// or what is wrong, which `say` prints.
std::optional<int> parse(CLI::App &app, int argc, char **argv,
                         const std::function<void(const std::string &)> &say);

} // namespace graphc::graphrun
#endif
