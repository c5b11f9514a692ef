// Checking a certificate again: everything is derived and decided anew, without any cache, and has to come out the same.
#pragma once

#include <string>

#include "smt/run.h"

namespace kir::tools {

struct RecheckRequest {
  std::string certificate;  // its path
  std::string kernel;       // the kernel's file; "": kernel.kir beside the certificate
  std::string program;      // the program's file; "": program.pir beside the certificate, or our own construction
  int jobs = 1;
};

// Tells what it found on standard output. The exit code: that of the certificate's verdict when every byte of it comes out
// again (0: everything is PROVED); 5 when it says anything else than the recheck does, each difference named; 2 for files that
// cannot be read.
int recheck(const RecheckRequest& request);

}  // namespace kir::tools
