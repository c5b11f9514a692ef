// The parser of .kir files: helpers, kernels and host plans around the bodies that parser.h reads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/kir/plan.h"
#include "core/text/parser.h"

namespace kir::text {

class KirParser final : public Parser {
 public:
  KirParser(SourcePtr source, Diagnostics& diagnostics) : Parser(std::move(source), diagnostics, false) {}
  std::optional<Module> parse();

 private:
  // --- kir_file.cpp
  struct ConstexprChoice {
    Token name;
    std::vector<std::variant<std::int64_t, DType>> values;
  };
  void kernel_declaration(Module& module);
  std::vector<ConstexprChoice> constexpr_list();
  std::shared_ptr<const Kernel> kernel_rest(const Token& name, std::uint32_t begin, std::vector<Constexpr> constexprs,
                                            const std::vector<Token>& constexpr_names);
  void parameter();
  void parameters();
  void skip_to_declaration();
  void end_of_declaration();

  // --- plan_file.cpp
  struct PlanDraft;
  void plan_declaration(Module& module);
  void plan_step(PlanDraft& draft, const Module& module);
  std::shared_ptr<const Kernel> launched_kernel(const Module& module);
  void launch_argument(PlanDraft& draft, PlanLaunch& launch, std::vector<bool>& given);
  BufferRef buffer_argument(const PlanDraft& draft);

  // --- helper_file.cpp
  void helper_declaration();
  void helper_head(Helper& h);
  void check_helper(Helper& h);

  std::unordered_set<std::string> kernel_ids_;  // of kernels and plans
  std::unordered_set<NameId> kernel_names_;     // of every kernel that was declared, well or not
};

}  // namespace kir::text
