#include "two_layer/options.hpp"

#include "core/enum_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marrow/error.hpp"

namespace marrow {

const std::map<std::string, CompressMethod>& compress_method_names() {
  static const std::map<std::string, CompressMethod> names = {{"refined", CompressMethod::refined},
                                                              {"paper", CompressMethod::paper}};
  return names;
}

const std::map<std::string, Refit>& refit_names() {
  static const std::map<std::string, Refit> names = {{"none", Refit::none}, {"rest", Refit::rest}, {"all", Refit::all}};
  return names;
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
  const char* one_of = "give only one of bones_per_vertex, virtual_bones and error";
  if (options.error && (options.bones_per_vertex || options.virtual_bones)) refuse("error", one_of);
  if (options.virtual_bones && options.bones_per_vertex) refuse("virtual_bones", one_of);
  if (options.bones_per_vertex && !(*options.bones_per_vertex > 1 && std::isfinite(*options.bones_per_vertex))) {
    refuse("bones_per_vertex",
           fmt::format("{} was asked for; every vertex needs one virtual bone and those need bones: "
                       "give more than 1",
                       *options.bones_per_vertex));
  }
  if (options.virtual_bones && *options.virtual_bones < 1) refuse("virtual_bones", "give at least 1");
  if (options.error && !(*options.error > 0 && std::isfinite(*options.error))) {
    refuse("error", "give a positive number");
  }
  if (options.coefficients == 1 || options.coefficients > 4) {
    refuse("coefficients", fmt::format("{} was asked for; give 2 to 4", options.coefficients));
  }
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

std::vector<std::pair<std::string, Setting>> request_settings(const CompressOptions& options) {
  std::vector<std::pair<std::string, Setting>> settings = {{"method", name_of(options.method, compress_method_names())},
                                                           {"effort", name_of(options.effort, effort_names())}};
  const auto add_count = [&](const char* name, std::size_t value) {
    if (value > 0) settings.emplace_back(name, std::int64_t(value));
  };
  if (options.bones_per_vertex) settings.emplace_back("bones_per_vertex", *options.bones_per_vertex);
  if (options.error) settings.emplace_back("error", *options.error);
  if (options.virtual_bones) add_count("virtual_bones", *options.virtual_bones);
  add_count("coefficients", options.coefficients);
  add_count("cardinality", options.cardinality);
  if (options.refit != Refit::none) settings.emplace_back("refit", name_of(options.refit, refit_names()));
  if (options.any_sign) settings.emplace_back("any_sign", true);
  return settings;
}

}  // namespace two_layer
}  // namespace marrow
