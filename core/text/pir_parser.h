// The parser of .pir files: the head of a physical program around the groups' bodies, which parser.h reads.
#pragma once

#include <memory>
#include <vector>

#include "core/pir/program.h"
#include "core/text/parser.h"

namespace kir::text {

class PirParser final : public Parser {
 public:
  PirParser(SourcePtr source, Diagnostics& diagnostics) : Parser(std::move(source), diagnostics, true) {}
  PhysicalPtr parse();

 private:
  struct PendingDefinition {
    Definition definition;
    Token token;
    NodeId value = kNoNode;
  };
  struct PendingSegment {
    Segment segment;
    std::vector<NodeId> lo, hi;
  };
  struct PendingArm {
    Token group;
    std::vector<Token> names;
  };
  void pir_abi(PhysicalProgram& p);
  void pir_abi_item();
  void pir_dims();
  void pir_launch(PhysicalProgram& p);
  void pir_layout(PhysicalProgram& p);
  void pir_space(PhysicalProgram& p);
  void pir_workspace(PhysicalProgram& p);
  void pir_dispatch(PhysicalProgram& p);
  void pir_group(PhysicalProgram& p);
  void resolve_definitions(PhysicalProgram& p);
  PendingDefinition definition(const char* what);
  void section(void (PirParser::*parse)(PhysicalProgram&), PhysicalProgram& p);  // an error is told and skipped
  void skip_section();
  PhysicalPtr finish_program(std::shared_ptr<PhysicalProgram> p, std::vector<RegionId> roots);

  std::vector<Token> index_items_;  // of a physical abi
  PendingDefinition grid_;
  std::vector<PendingDefinition> pending_definitions_;
  std::vector<PendingSegment> pending_segments_;
  std::vector<PendingArm> pending_arms_;
  bool incomplete_ = false;  // a section of a physical program was skipped
};

}  // namespace kir::text
