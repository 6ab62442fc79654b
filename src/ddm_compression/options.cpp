#include "ddm_compression/options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/check.hpp"

namespace marrow::ddm_compression {
namespace {

void need(bool rule, const char* option, const char* remedy) {
  if (!rule) throw Error(ErrorCode::bad_request, fmt::format("DdmCompressionOptions::{}", option), remedy);
}

const char* name_of(DdmCompressionMethod method) {
  switch (method) {
    case DdmCompressionMethod::refined:
      return "refined";
    case DdmCompressionMethod::paper:
      return "paper";
    default:
      return "scalar only";
  }
}

}  // namespace

void check(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges) {
  validate(ddm);
  require(ddm.vertices() > 0, "compress", [] { return "the model has no vertices"; });
  validate(ranges, ddm.rig.skeleton);
  need(options.virtual_bones >= 1 && options.virtual_bones <= 65535, "virtual_bones", "give 1 to 65535");
  need(options.influences >= 1 && options.influences <= 16, "influences", "give 1 to 16");
  need(options.poses >= 10 && options.poses <= 100000, "poses", "give 10 to 100000");
  need(options.iterations >= 1 && options.iterations <= 1000, "iterations", "give 1 to 1000");
  need(options.sparsity >= 0 && options.sparsity <= 10, "sparsity", "give 0 to 10");
  need(options.worst >= 0 && options.worst <= 1, "worst", "give 0 to 1");
  need(options.smoothness >= 0 && std::isfinite(options.smoothness), "smoothness", "give 0 or more");
  need(!options.error_target || *options.error_target > 0, "error_target", "give a positive share of the size");
  need(!options.byte_budget || *options.byte_budget > 0, "byte_budget", "give a positive number of bytes");
  need(!options.error_target || !options.byte_budget, "byte_budget", "give an error target or a byte budget, not both");
  const ContinuousExamples& examples = options.examples;
  need(examples.translation >= 0 && std::isfinite(examples.translation), "examples.translation", "give 0 or more");
  need(examples.poses_share >= 0 && examples.poses_share <= 1, "examples.poses_share", "give 0 to 1");
  need(!examples.poses || examples.poses->bones == ddm.bones(), "examples.poses",
       "give poses of the model's own bones");
  need(options.method != DdmCompressionMethod::refined || !examples.poses, "examples.poses",
       "goes with the linearised methods only");
}

std::vector<std::pair<std::string, Setting>> settings(const DdmCompressionOptions& options) {
  std::vector<std::pair<std::string, Setting>> out{{"virtual_bones", std::int64_t(options.virtual_bones)},
                                                   {"influences", std::int64_t(options.influences)},
                                                   {"method", std::string(name_of(options.method))},
                                                   {"poses", std::int64_t(options.poses)},
                                                   {"iterations", std::int64_t(options.iterations)},
                                                   {"sparsity", options.sparsity},
                                                   {"worst", options.worst},
                                                   {"area_weights", options.area_weights},
                                                   {"smoothness", options.smoothness}};
  if (options.error_target) out.emplace_back("error_target", *options.error_target);
  if (options.byte_budget) out.emplace_back("byte_budget", std::int64_t(*options.byte_budget));
  return out;
}

}  // namespace marrow::ddm_compression
