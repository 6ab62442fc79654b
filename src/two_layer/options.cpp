#include "two_layer/options.hpp"

#include "core/option_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marrow/error.hpp"

namespace marrow {

const EnumNames<CompressMethod>& compress_method_names() {
  static const EnumNames<CompressMethod> names = {
      {CompressMethod::refined, "refined", "one budget over the values of both layers"},
      {CompressMethod::paper, "paper", "the algorithms of Le and Deng 2013, to compare with"}};
  return names;
}

const EnumNames<Refit>& refit_names() {
  static const EnumNames<Refit> names = {
      {Refit::none, "none", "nothing but the layers"},
      {Refit::rest, "rest", "the rest pose, each vertex by 1 % of the size at most"},
      {Refit::all, "all", "the rest pose and the motion of the bones, which must have no parents"}};
  return names;
}

std::vector<Option> option_table(CompressOptions& options) {
  using O = CompressOptions;
  const OptionFields<O> field(options);
  return {
      field("bones_per_vertex", &O::bones_per_vertex,
            {.help = "Values of both layers per vertex, at most (4 where neither this, nor virtual bones, nor an error "
                     "is given)",
             .least = 1,
             .above_least = true}),
      field("virtual_bones", &O::virtual_bones, {.help = "Instead: this many virtual bones, at most", .least = 1}),
      field("error", &O::error,
            {.help = "Instead: as few values as this error needs, of weights (times 1000) or, with frames, E_RMS",
             .least = 0,
             .above_least = true,
             .no_flag = "--error (of positions, also in % of the size or model units) and --weight-error"}),
      field("method", &O::method, compress_method_names(), {.help = "How the layers are found"}),
      field("coefficients", &O::coefficients,
            {.help = "Virtual bones per vertex, at most",
             .least = 2,
             .most = 4,
             .zero = "3; 4 from 6 bones per vertex on, with frames from 4, and with best effort"}),
      field("cardinality", &O::cardinality,
            {.help = "Bones per virtual bone, at most", .least = 1, .zero = "any number"}),
      field("refit", &O::refit, refit_names(), {.help = "What may follow the frames beside the layers"}),
      field("any_sign", &O::any_sign,
            {.help = "Values may be negative, for research; no plain skin has such weights", .flag = "--signed"}),
      field("effort", &O::effort, effort_names(), {.help = "How much time to spend on a better result"}),
  };
}

namespace two_layer {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& remedy) {
  throw Error(ErrorCode::bad_request, option, remedy);
}

void check_paper(const CompressOptions& options) {
  if (options.coefficients != 0 && options.coefficients != 2) {
    refuse("coefficients", "the method paper has 2 per vertex; leave this out, or take refined");
  }
  if (options.virtual_bones == 1) refuse("virtual_bones", "the method paper blends pairs; give at least 2");
  if (options.bones_per_vertex && !(*options.bones_per_vertex > 2)) {
    refuse("bones_per_vertex", "the method paper needs more than 2");
  }
}

}  // namespace

void check_request(const CompressOptions& options, std::size_t vertices) {
  if (vertices == 0) throw Error(ErrorCode::bad_input, "mesh", "there are no vertices to compress weights of");
  check_ranges(options);
  const char* one_of = "give only one of bones_per_vertex, virtual_bones and error";
  if (options.error && (options.bones_per_vertex || options.virtual_bones)) refuse("error", one_of);
  if (options.virtual_bones && options.bones_per_vertex) refuse("virtual_bones", one_of);
  if (options.method == CompressMethod::paper) check_paper(options);
}

void check_refit(const CompressOptions& options, const Skeleton& skeleton, bool has_poses) {
  if (options.refit == Refit::none) return;
  if (!has_poses) refuse("refit", "there is nothing to follow without poses; give these, or leave it out");
  if (options.refit != Refit::all) return;
  const auto child = std::ranges::find_if(skeleton.parents, [](std::int32_t parent) { return parent >= 0; });
  if (child == skeleton.parents.end()) return;
  refuse("refit", fmt::format("bone {} has a parent, and joints would come apart if bones moved on their own; take "
                              "rest, which leaves bones as they are",
                              skeleton.names[std::size_t(child - skeleton.parents.begin())]));
}

void check_target(const Rig& rig, const Sequence& target, const CompressOptions& options) {
  if (options.method == CompressMethod::paper) {
    refuse("poses", "the method paper is there without poses only; leave them out, or take refined");
  }
  validate(target);
  if (target.vertices() != rig.vertices() || target.frames() != rig.frames()) {
    throw Error(
        ErrorCode::bad_input, "poses",
        fmt::format("{} vertices in {} frames, but the rig has {} in {}; give the sequence that it was made from",
                    target.vertices(), target.frames(), rig.vertices(), rig.frames()));
  }
}

}  // namespace two_layer
}  // namespace marrow
