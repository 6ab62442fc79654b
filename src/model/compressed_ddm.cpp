#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "core/eigen_affine.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "marrow/compressed_ddm.hpp"
#include "model/model_frames.hpp"
#include "model/multi_blend.hpp"

namespace marrow {
namespace {

/// A virtual bone in floats, relative to the root bone, with the root's joint as origin: u' = R u + t.
struct FloatTransform {
  std::array<std::array<float, 3>, 3> r;
  std::array<float, 3> t;
};

void check_layers(const CompressedDdm& model, std::size_t pose) {
  require(pose == model.bones() && pose > 0, "deform",
          [&] { return fmt::format("the pose has {} transforms, but the rig {} bones", pose, model.bones()); });
}

/// Transform of virtual bone k: rotation about its centre, then the shift.
struct FirstLayer {
  Eigen::Matrix3d rotation;
  std::array<float, 3> shift;
};

FirstLayer first_layer(const CompressedDdm& model, std::size_t k, const model::PoseInFloats& pose) {
  const model::Blend row = model::blend(model.virtual_bones, k, model.centres[k], pose);
  return {row.rotation(), row.shift};
}

Vec3 place_by(const FloatTransform* bones, std::span<const std::uint32_t> used, std::span<const float> weights,
              const std::array<float, 3>& u) {
  std::array<float, 3> sum{};
  for (std::size_t e = 0; e < used.size(); ++e) {
    const FloatTransform& m = bones[used[e]];
    for (std::size_t r = 0; r < 3; ++r) {
      sum[r] += weights[e] * (m.r[r][0] * u[0] + m.r[r][1] * u[1] + m.r[r][2] * u[2] + m.t[r]);
    }
  }
  return {sum[0], sum[1], sum[2]};
}

}  // namespace

void validate(const CompressedDdm& model) {
  constexpr const char* where = "CompressedDdm";
  validate(model.rig);
  validate(model.virtual_bones, model.bones());
  require(model.centres.size() == model.virtual_bones.vertices(), where, [&] {
    return fmt::format("{} centres, but multi-weights for {} virtual bones", model.centres.size(),
                       model.virtual_bones.vertices());
  });
  const std::size_t bad = first_not_finite(model.centres);
  require(bad == model.centres.size(), where,
          [&] { return fmt::format("centre of virtual bone {} is not finite", bad); });
  validate(model.weights, model.virtual_bone_count());
  require(model.weights.vertices() == model.vertices(), where, [&] {
    return fmt::format("weights for {} vertices, but the mesh has {}", model.weights.vertices(), model.vertices());
  });
}

Affine virtual_transforms(const CompressedDdm& model, std::span<const Affine> pose, std::span<Affine> transforms) {
  check_layers(model, pose.size());
  require(transforms.size() == model.virtual_bone_count(), "virtual_transforms", [&] {
    return fmt::format("there is room for {} transforms, but the model has {} virtual bones", transforms.size(),
                       model.virtual_bone_count());
  });
  const model::PoseInFloats in_floats(model.rig.skeleton, pose);
  for (std::size_t k = 0; k < transforms.size(); ++k) {
    const FirstLayer bone = first_layer(model, k, in_floats);
    const Eigen::Vector3d p = to_eigen(model.centres[k]);
    const Eigen::Vector3d moved = p + Eigen::Vector3d(bone.shift[0], bone.shift[1], bone.shift[2]);
    transforms[k] = to_affine(bone.rotation, Eigen::Vector3d(moved - bone.rotation * p));
  }
  return in_floats.root();
}

Affine deform_from_root(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions) {
  check_layers(model, pose.size());
  require(positions.size() == model.vertices(), "deform", [&] {
    return fmt::format("there is room for {} vertices, but the rig has {}", positions.size(), model.vertices());
  });
  const model::PoseInFloats in_floats(model.rig.skeleton, pose);
  const Affine& bind = model.rig.skeleton.bind.front();
  const Eigen::Vector3d origin = translation_part(bind);
  std::vector<FloatTransform> bones(model.virtual_bone_count());
  for (std::size_t k = 0; k < bones.size(); ++k) {
    const FirstLayer bone = first_layer(model, k, in_floats);
    const Eigen::Vector3d p = to_eigen(model.centres[k]) - origin;
    const Eigen::Vector3d t = p - bone.rotation * p + Eigen::Vector3d(bone.shift[0], bone.shift[1], bone.shift[2]);
    for (std::size_t r = 0; r < 3; ++r) {
      const auto row = Eigen::Index(r);
      // Minus the identity: weights sum to 1 only up to rounding, so that only the displacement is blended.
      for (std::size_t c = 0; c < 3; ++c) {
        bones[k].r[r][c] = float(bone.rotation(row, Eigen::Index(c)) - (r == c ? 1 : 0));
      }
      bones[k].t[r] = float(t[row]);
    }
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3& rest = model.rig.mesh.positions[i];
    const Vec3 moved =
        place_by(bones.data(), model.weights.row_bones(i), model.weights.row_values(i), in_floats.from_origin(rest));
    positions[i] = {rest.x + moved.x, rest.y + moved.y, rest.z + moved.z};
  }
  return in_floats.root();
}

void deform(const CompressedDdm& model, std::span<const Affine> pose, std::span<Vec3> positions) {
  deform_in_world(model, pose, positions);
}

Sequence bake(const CompressedDdm& model, const Run& run) {
  validate(model);
  return bake_model(model, "baking", run);
}

Rig bake_virtual_bones(const CompressedDdm& model, const Run& run) {
  validate(model);
  const std::size_t p = model.virtual_bone_count(), frames = model.rig.frames();
  Rig rig{model.rig.mesh, {}, model.weights, {model.rig.motion.timeline, p, std::vector<Affine>(p * frames)}};
  for (std::size_t k = 0; k < p; ++k) {
    rig.skeleton.names.push_back(fmt::format("virtual_{}", k));
    rig.skeleton.parents.push_back(-1);
    const Vec3& c = model.centres[k];
    rig.skeleton.bind.push_back(Affine::translation(c.x, c.y, c.z));
  }
  parallel_for(run, "baking", frames, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const std::span<Affine> out = rig.motion.frame(t);
      const Affine root = virtual_transforms(model, model.rig.motion.frame(t), out);
      for (Affine& transform : out) transform = root * transform;
    }
  });
  return rig;
}

std::size_t storage(const CompressedDdm& model) {
  const std::size_t p = model.virtual_bone_count();
  // One weight per vertex is not stored: it is 1 minus the others.
  const std::size_t floats =
      10 * model.virtual_bones.values.size() + 3 * p + model.weights.values.size() - model.vertices();
  return sizeof(float) * floats + row_bytes(model.virtual_bones.offsets, model.bones()) +
         row_bytes(model.weights.offsets, p);
}

}  // namespace marrow
