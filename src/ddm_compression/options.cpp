#include "ddm_compression/options.hpp"

#include "core/check.hpp"
#include "core/option_fields.hpp"

namespace marrow {

const EnumNames<DdmCompressionMethod>& ddm_compression_method_names() {
  static const EnumNames<DdmCompressionMethod> names = {
      {DdmCompressionMethod::refined, "refined", "on the true error in sampled poses"},
      {DdmCompressionMethod::paper, "paper", "linearised, over a continuum of poses (Le et al. 2021)"},
      {DdmCompressionMethod::scalar_only, "scalar-only", "the same without the update of the multi-weights"}};
  return names;
}

std::vector<Option> option_table(DdmCompressionOptions& options) {
  using O = DdmCompressionOptions;
  const OptionFields<O> field(options);
  const char* for_studies = "for studies of the paper's objective, in programs";
  const auto hierarchy = [](O& o) -> bool& { return o.examples.hierarchy; };
  const auto bind_pose = [](O& o) -> bool& { return o.examples.bind_pose; };
  const auto translation = [](O& o) -> double& { return o.examples.translation; };
  const auto poses_share = [](O& o) -> double& { return o.examples.poses_share; };
  return {
      field("virtual_bones", &O::virtual_bones,
            {.help = "Virtual bones, at most", .least = 1, .most = 65535, .flag = "--compress"}),
      field("influences", &O::influences, {.help = "Virtual bones per vertex, at most", .least = 1, .most = 16}),
      field("method", &O::method, ddm_compression_method_names(), {.help = "What the fit minimises"}),
      field("error_target", &O::error_target,
            {.help = "As few virtual bones as this RMS error needs, in poses that the solver has not seen",
             .kind = OptionKind::share,
             .least = 0,
             .above_least = true,
             .no_flag = "--error, which also takes model units"}),
      field("byte_budget", &O::byte_budget,
            {.help = "As many virtual bones as fit into this many bytes",
             .least = 1,
             .unit = "bytes",
             .flag = "--bytes"}),
      field("poses", &O::poses,
            {.help = "Sampled poses to fit",
             .least = 10,
             .most = 100000,
             .flag = "--fit-poses",
             .with = "method",
             .with_values = {"refined"}}),
      field("iterations", &O::iterations, {.help = "Iterations of the fit, at most", .least = 1, .most = 1000}),
      field(
          "sparsity", &O::sparsity,
          {.help = "An influence stays only where it lowers the vertex's RMS error by more than this, in parts of the "
                   "RMS over all vertices",
           .least = 0,
           .most = 10,
           .zero = "all that help"}),
      field(
          "worst", &O::worst,
          {.help = "How much more vertices count whose error is large: larger values lower the largest error and raise "
                   "the RMS",
           .least = 0,
           .most = 1,
           .with = "method",
           .with_values = {"refined"}}),
      field("area_weights", &O::area_weights, {.help = "Vertices count by the area around them instead of one by one"}),
      field("smoothness", &O::smoothness,
            {.help = "Pull of weights towards the neighbours' mean; the paper: 0.01",
             .least = 0,
             .with = "method",
             .with_values = {"paper", "scalar-only"}}),
      field("examples.hierarchy", hierarchy,
            {.help = "Turning a joint carries its descendants along", .no_flag = for_studies}),
      field("examples.bind_pose", bind_pose,
            {.help = "Joints turn about their own place, not about the origin", .no_flag = for_studies}),
      field("examples.translation", translation,
            {.help = "Every joint also moves by up to this along each axis",
             .kind = OptionKind::share,
             .least = 0,
             .no_flag = for_studies}),
      field("examples.poses_share", poses_share,
            {.help = "Share of given poses in the objective", .least = 0, .most = 1, .no_flag = for_studies}),
  };
}

namespace ddm_compression {
namespace {

void need(bool rule, const char* option, const char* remedy) {
  if (!rule) throw Error(ErrorCode::bad_request, option, remedy);
}

}  // namespace

void check(const DdmRig& ddm, const DdmCompressionOptions& options, const RangesOfMotion& ranges) {
  validate(ddm);
  require(ddm.vertices() > 0, "compress", [] { return "the model has no vertices"; });
  validate(ranges, ddm.rig.skeleton);
  check_ranges(options);
  need(!options.error_target || !options.byte_budget, "byte_budget", "give only one of error_target and byte_budget");
  const ContinuousExamples& examples = options.examples;
  need(!examples.poses || examples.poses->bones == ddm.bones(), "examples.poses",
       "give poses of the model's own bones");
  need(options.method != DdmCompressionMethod::refined || !examples.poses, "examples.poses",
       "goes with the methods paper and scalar-only");
}

}  // namespace ddm_compression
}  // namespace marrow
