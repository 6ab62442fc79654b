#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "deform/frame_skinner.hpp"
#include "io/glb.hpp"
#include "io/glb_animation.hpp"
#include "io/glb_bones.hpp"
#include "marrow/error.hpp"

namespace marrow {
namespace {

using namespace glb;

constexpr std::size_t frames_per_chunk = 8;

/// Everything read from a file, before it becomes a rig or a sequence.
struct Content {
  Content(const GlbSource& source, const ReadOptions& options, const Run& run)
      : name(source.name()),
        document(source, run),
        scene(read_scene(document)),
        animations(read_animations(document, scene, options.fps)),
        geometry(read_geometry(document, scene)),
        world(world_transforms(scene, scene.pose.placements)),
        bones(read_bones(document, scene, geometry, world, run)) {}

  std::string name;
  Document document;
  Scene scene;
  std::vector<Animation> animations;
  Geometry geometry;
  std::vector<Affine> world;  // the nodes' transforms without animation
  Bones bones;

  /// Posing the nodes in so many frames, and `more` steps in each.
  void charge_frames(std::size_t frames, std::size_t more) const {
    std::size_t channels = 0;
    for (const Animation& animation : animations) channels = std::max(channels, animation.channels.size());
    document.charge_steps(frames, scene.nodes.size() + channels + more, "animations");
  }

  /// Of all vertices, in one frame.
  std::size_t skinning_steps() const {
    std::size_t steps = bones.weights.bones.size();
    for (const Instance& instance : geometry.instances) steps += instance.vertices.count * instance.targets.size();
    return steps / 4;  // they are cheap beside a node's
  }

  bool is_skinned() const {
    return std::ranges::any_of(geometry.instances, [](const Instance& i) { return i.skin.has_value(); });
  }
};

Content load(const GlbSource& source, const ReadOptions& options, const Run& run) {
  if (!(options.fps >= 0) || !std::isfinite(options.fps)) {
    throw Error(ErrorCode::bad_request, "ReadOptions::fps", fmt::format("{} is not a frame rate", options.fps));
  }
  return Content(source, options, run);
}

/// True if an animation gives a shown mesh other morph weights than at rest.
bool morphs_move(const Content& model) {
  std::vector<bool> morphs(model.scene.nodes.size(), false);
  for (const Instance& instance : model.geometry.instances) morphs[instance.node] = !instance.targets.empty();
  const auto moves = [&](const Channel& channel) {
    if (channel.path != Path::weights || !morphs[channel.node]) return false;
    std::vector<double> rest = model.scene.pose.weights[channel.node];
    rest.resize(channel.width, 0);
    const bool cubic = channel.interpolation == Interpolation::cubic;
    for (std::size_t e = 0; e < channel.values.size(); ++e) {
      const bool is_tangent = cubic && e / channel.width % 3 != 1;
      if (channel.values[e] != (is_tangent ? 0.0 : rest[e % channel.width])) return true;
    }
    return false;
  };
  return std::ranges::any_of(model.animations,
                             [&](const Animation& a) { return std::ranges::any_of(a.channels, moves); });
}

Timeline make_timeline(const Content& model) {
  Timeline timeline;
  for (const Animation& animation : model.animations) {
    timeline.clips.push_back({animation.name, timeline.times.size(), animation.frames.size()});
    timeline.times.insert(timeline.times.end(), animation.frames.begin(), animation.frames.end());
  }
  if (timeline.clips.empty()) timeline = Timeline::uniform(1, 1, "rest");
  return timeline;
}

/// Computes the pose of all nodes, frame by frame. One per thread.
class FramePoser {
 public:
  FramePoser(const Content& model, const Timeline& timeline) : model_(model), timeline_(timeline) {}

  void go_to(std::size_t frame) {
    pose_ = model_.scene.pose;
    if (!model_.animations.empty()) {
      const auto after = std::ranges::upper_bound(timeline_.clips, frame, {}, &Clip::first);
      const auto clip = std::size_t(after - timeline_.clips.begin()) - 1;
      apply(model_.animations[clip], timeline_.times[frame], pose_);
    }
    world_ = world_transforms(model_.scene, pose_.placements);
  }

  const Pose& pose() const { return pose_; }
  std::span<const Affine> world() const { return world_; }

 private:
  const Content& model_;
  const Timeline& timeline_;
  Pose pose_;
  std::vector<Affine> world_;
};

/// The mesh with face orientation and normals of the rest pose. The caller sets the positions.
Mesh rest_mesh(const Content& model) {
  Mesh mesh = model.geometry.mesh;
  for (std::size_t n = 0; n < model.geometry.instances.size(); ++n) {
    const Instance& instance = model.geometry.instances[n];
    const Affine& rest = model.bones.group_rest[model.bones.instance_groups[n]];
    if (rest == Affine{}) continue;
    const bool mirrored = determinant(rest) < 0;
    if (mirrored) {
      for (std::size_t c = instance.corners.first; c < instance.corners.end(); c += 3) {
        std::swap(mesh.face_vertices[c + 1], mesh.face_vertices[c + 2]);
        if (!mesh.corner_uvs.empty()) std::swap(mesh.corner_uvs[c + 1], mesh.corner_uvs[c + 2]);
        if (!mesh.corner_normals.empty()) std::swap(mesh.corner_normals[c + 1], mesh.corner_normals[c + 2]);
      }
    }
    if (mesh.normals.empty()) continue;
    // Normals follow the inverse transpose of the linear part.
    const Affine undo = inverse(rest);
    for (std::size_t i = instance.attributes.first; i < instance.attributes.end(); ++i) {
      Vec3& normal = mesh.normals[i];
      const std::array<double, 3> v{normal.x, normal.y, normal.z};
      std::array<double, 3> turned;
      for (std::size_t r = 0; r < 3; ++r) turned[r] = undo(0, r) * v[0] + undo(1, r) * v[1] + undo(2, r) * v[2];
      const double length = std::hypot(turned[0], turned[1], turned[2]);
      if (!(length > 0)) continue;
      normal = {float(turned[0] / length), float(turned[1] / length), float(turned[2] / length)};
    }
  }
  return mesh;
}

/// Reports errors of validate() as errors of the file: products of finite numbers may overflow.
template <class T>
T checked(T value, const Content& model) {
  try {
    validate(value);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_file, model.name, fmt::format("the content is damaged: {}", error.what()));
  }
  return value;
}

Rig build_rig(const Content& model, const Run& run) {
  const std::size_t bones = model.bones.bones.size();
  Rig rig{rest_mesh(model), model.bones.skeleton, model.bones.weights, {make_timeline(model), bones, {}}};
  for (std::size_t n = 0; n < model.geometry.instances.size(); ++n) {
    const Instance& instance = model.geometry.instances[n];
    const Affine& rest = model.bones.group_rest[model.bones.instance_groups[n]];
    morph(model.geometry, instance, model.scene.pose.weights[instance.node], rig.mesh.positions);
    if (rest == Affine{}) continue;
    for (std::size_t i = instance.vertices.first; i < instance.vertices.end(); ++i) {
      rig.mesh.positions[i] = transform(rest, rig.mesh.positions[i]);
    }
  }
  // From the rest pose to the stored vertices, then by the inverse bind matrix.
  std::vector<Affine> to_bone;
  for (const Bone& bone : model.bones.bones) {
    to_bone.push_back(bone.inverse_bind * inverse(model.bones.group_rest[bone.group]));
  }
  model.charge_frames(rig.frames(), 0);
  model.document.charge(rig.frames(), sizeof(Affine) * bones, "animations");
  rig.motion.transforms.resize(rig.frames() * bones);
  parallel_for(run, "reading frames", rig.frames(), frames_per_chunk, [&](std::size_t begin, std::size_t end) {
    FramePoser poser(model, rig.motion.timeline);
    for (std::size_t t = begin; t < end; ++t) {
      poser.go_to(t);
      const std::span<Affine> frame = rig.motion.frame(t);
      for (std::size_t b = 0; b < bones; ++b) frame[b] = poser.world()[model.bones.bones[b].node] * to_bone[b];
    }
  });
  return checked(std::move(rig), model);
}

/// Computes the positions of all vertices in a pose: morph targets, then bones or nodes.
class PoseBaker {
 public:
  explicit PoseBaker(const Content& model)
      : model_(model), stored_{model.geometry.mesh, model.bones.skeleton, model.bones.weights, {}} {}

  void bake(const Pose& pose, std::span<const Affine> world, std::span<Vec3> positions) {
    for (const Instance& instance : model_.geometry.instances) {
      if (!instance.targets.empty()) {
        morph(model_.geometry, instance, pose.weights[instance.node], stored_.mesh.positions);
      }
    }
    transforms_.clear();
    for (const Bone& bone : model_.bones.bones) transforms_.push_back(world[bone.node] * bone.inverse_bind);
    FrameSkinner skinner(stored_);
    skinner.set_pose(transforms_);
    skinner.evaluate(positions, 0, positions.size());
  }

 private:
  const Content& model_;
  Rig stored_;
  std::vector<Affine> transforms_;
};

Sequence build_sequence(const Content& model, const Run& run) {
  Sequence sequence{rest_mesh(model), make_timeline(model), {}};
  PoseBaker(model).bake(model.scene.pose, model.world, sequence.mesh.positions);
  model.charge_frames(sequence.frames(), model.skinning_steps());
  model.document.charge(sequence.frames(), sizeof(Vec3) * sequence.vertices(), "animations");
  sequence.positions.resize(sequence.frames() * sequence.vertices());
  parallel_for(run, "reading frames", sequence.frames(), frames_per_chunk, [&](std::size_t begin, std::size_t end) {
    FramePoser poser(model, sequence.timeline);
    PoseBaker baker(model);
    for (std::size_t t = begin; t < end; ++t) {
      poser.go_to(t);
      baker.bake(poser.pose(), poser.world(), sequence.frame(t));
    }
  });
  return checked(std::move(sequence), model);
}

}  // namespace

Animated read_glb(const GlbSource& source, const ReadOptions& options, const Run& run) {
  const Content model = load(source, options, run);
  if (!model.is_skinned()) return build_sequence(model, run);
  if (morphs_move(model)) {
    run.warn(fmt::format("{}: its morph targets move, which bones cannot show; read as a sequence", model.name));
    return build_sequence(model, run);
  }
  return build_rig(model, run);
}

}  // namespace marrow
