// Le & Lewis 2019 (Direct Delta Mush), in the form of Le et al. 2021, Section 5: Eqs. (13a) to (13e). Differs: strength
// of smoothing per point (reach.cpp), local solves (smoother.cpp), pruning by a bound (row.cpp).
#include <algorithm>
#include <optional>

#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "ddm/moments.hpp"
#include "ddm/options.hpp"
#include "ddm/reach.hpp"
#include "ddm/row.hpp"
#include "ddm/smoother.hpp"
#include "marrow/ddm.hpp"
#include "marrow/stages.hpp"

namespace marrow {
namespace {

using namespace ddm;

constexpr std::size_t points_per_chunk = 256;

MultiWeights::Value to_value(const Omega& o) {
  const std::array<double, 10> v{o.a(0, 0), o.a(0, 1), o.a(0, 2), o.b[0], o.a(1, 1),
                                 o.a(1, 2), o.b[1],    o.a(2, 2), o.b[2], o.c};
  MultiWeights::Value out;
  std::ranges::transform(v, out.begin(), [](double x) { return float(x); });
  return out;
}

Vec3 to_vec3(const Point& p) {
  return {float(p[0]), float(p[1]), float(p[2])};
}

/// Centres and multi-weights of all points.
struct PointModel {
  std::vector<Vec3> centres;
  MultiWeights weights;
};

PointModel make_points(const Rig& rig, const WeldedSurface& surface, const Moments& moments, const DdmOptions& options,
                       const Run& run) {
  PointModel model;
  model.centres.resize(surface.count());
  const DropCost cost(rig.skeleton, surface);
  std::vector<MultiWeights> chunks((surface.count() + points_per_chunk - 1) / points_per_chunk);
  parallel_for(run, "multi-weights", surface.count(), points_per_chunk, [&](std::size_t begin, std::size_t end) {
    MultiWeights& chunk = chunks[begin / points_per_chunk];
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const Moments::Entry> entries(moments.entries.data() + moments.offsets[i],
                                                    moments.offsets[i + 1] - moments.offsets[i]);
      const auto& map = options.maps.blending;
      const double alpha = options.alpha * (map.empty() ? 1.0 : map[surface.vertex_of[i]]);
      Row row = make_row(surface, i, entries, alpha);
      prune_row(row, cost(row, surface.points[i]), options.prune * surface.size);
      model.centres[i] = to_vec3(row.centre + surface.middle);
      for (const Omega& o : row.omegas) {
        chunk.bones.push_back(o.bone);
        chunk.values.push_back(to_value(o));
      }
      chunk.offsets.push_back(std::uint32_t(row.omegas.size()));
    }
  });
  model.weights.offsets = {0};
  for (const MultiWeights& chunk : chunks) {
    for (const std::uint32_t count : chunk.offsets) {
      model.weights.offsets.push_back(model.weights.offsets.back() + count);
    }
    model.weights.bones.insert(model.weights.bones.end(), chunk.bones.begin(), chunk.bones.end());
    model.weights.values.insert(model.weights.values.end(), chunk.values.begin(), chunk.values.end());
  }
  return model;
}

/// Copies the model from welded points to the mesh's vertices.
DdmRig split(const Rig& rig, const WeldedSurface& surface, const PointModel& model) {
  DdmRig ddm{rig, {}, {{0}, {}, {}}};
  ddm.centres.reserve(rig.vertices());
  for (std::size_t i = 0; i < rig.vertices(); ++i) {
    const std::uint32_t point = surface.point_of[i];
    ddm.centres.push_back(model.centres[point]);
    for (std::uint32_t e = model.weights.offsets[point]; e < model.weights.offsets[point + 1]; ++e) {
      ddm.multi_weights.bones.push_back(model.weights.bones[e]);
      ddm.multi_weights.values.push_back(model.weights.values[e]);
    }
    ddm.multi_weights.offsets.push_back(std::uint32_t(ddm.multi_weights.bones.size()));
  }
  return ddm;
}

}  // namespace

Result<DdmRig> make_ddm(const Rig& rig, const DdmOptions& options, const Run& run) {
  check(rig, options);
  Report report;
  report.settings = settings_of(options);
  Stopwatch watch(report);
  const WeldedSurface surface = weld(rig);
  const SparseMatrix l = laplacian(surface);
  watch.lap("surface");
  Stages stages(run, {2, 6, 2});
  const Run factorising = stages.next();
  factorising.report({.stage = "factorising"});
  std::optional<Smoother> rotation, translation;
  parallel_for(run, 2, 1, [&](std::size_t part, std::size_t) {
    (part == 0 ? rotation : translation)
        .emplace(surface, l, smoothing_mass(rig, surface, l, options, part == 0 ? Part::rotation : Part::translation));
  });
  factorising.report({.stage = "factorising", .fraction = 1});
  watch.lap("factorise");
  const Moments moments = smooth_moments(surface, bind(rig, surface, options.rigid_bind), *rotation, *translation,
                                         options.steps, stages.next());
  watch.lap("smooth");
  const PointModel points = make_points(rig, surface, moments, options, stages.next());
  stages.done();
  DdmRig ddm = split(rig, surface, points);
  watch.lap("multi-weights");
  const auto count = double(surface.count());
  report.figures.emplace_back("points after welding", count);
  report.figures.emplace_back("smoothed weights per point", double(moments.entries.size()) / count);
  report.figures.emplace_back("multi-weights per point", double(points.weights.bones.size()) / count);
  report.figures.emplace_back("bytes", double(storage(ddm)));
  return {std::move(ddm), std::move(report)};
}

}  // namespace marrow
