//===- CertsCommand.h - graphrun certs: an authority and the tasks' certificates ----*- C++ -*-===//
#ifndef GRAPHC_TOOLS_GRAPHRUN_CERTSCOMMAND_H
#define GRAPHC_TOOLS_GRAPHRUN_CERTSCOMMAND_H

namespace graphc::graphrun {

/// `argv[0]` is "certs". Returns the exit status; everything the user must know was printed.
int makeCertificates(int argc, char **argv);

} // namespace graphc::graphrun
#endif
