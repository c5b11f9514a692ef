// Structural verifiers: everything about a kernel or program that needs no solver. Rules are numbered in the .cpp files'
// heads (V-nn KIR and common, W-nn physical); the numbers stand in diagnostics, tests and docs. Run by the parsers and
// after every pass. They never crash on any body the builder can make.
#pragma once

#include "core/base/diagnostics.h"

namespace kir {

struct Kernel;
struct PhysicalProgram;
struct Plan;

bool verify(const Kernel& kernel, Diagnostics& diagnostics);
bool verify(const PhysicalProgram& program, Diagnostics& diagnostics);
bool verify(const Plan& plan, Diagnostics& diagnostics);

}  // namespace kir
