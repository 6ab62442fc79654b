// Rig to GLB. docs/glb.md describes the file and its reasons.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <unordered_set>

#include "io/bone_nodes.hpp"
#include "io/glb_skinning.hpp"
#include "io/glb_write_mesh.hpp"
#include "io/glb_write_stream.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/stages.hpp"
#include "marrow/version.hpp"

namespace marrow {
namespace {

/// Node indices. Node 0 is the root; then the nodes of the bones, a helper before its joint; last the mesh.
struct BoneIndices {
  std::vector<std::size_t> upper;  ///< has the keys of translation, rotation and scale
  std::vector<std::size_t> joint;  ///< the same node, or the one below the helper
};

BoneIndices number_nodes(const BoneNodes& bones) {
  BoneIndices indices;
  std::size_t next = 1;
  for (const BoneNode& node : bones.nodes) {
    indices.upper.push_back(next);
    if (node.keys.kind == KeyKind::flexible) ++next;
    indices.joint.push_back(next++);
  }
  return indices;
}

/// A unique name: some players find nodes by name.
std::string helper_name(const std::string& bone, std::unordered_set<std::string>& taken) {
  std::string name = bone + "_stretch";
  while (!taken.insert(name).second) name += '_';
  return name;
}

GlbFile::Json node_list(const Skeleton& skeleton, const BoneNodes& bones, const BoneIndices& indices) {
  GlbFile::Json nodes = GlbFile::Json::array({{{"name", "marrow_root"}}});
  std::unordered_set<std::string> taken(skeleton.names.begin(), skeleton.names.end());
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const NodeKeys<float>& keys = bones.nodes[j].keys;
    const NodeKey<float>& bind = keys.keys.front();
    const bool flexible = keys.kind == KeyKind::flexible;
    GlbFile::Json upper = {{"name", flexible ? helper_name(skeleton.names[j], taken) : skeleton.names[j]},
                           {"translation", bind.translation},
                           {"rotation", bind.rotation}};
    if (flexible || keys.kind == KeyKind::scaled) upper["scale"] = bind.scale;
    if (flexible) upper["children"] = GlbFile::Json::array({indices.joint[j]});
    nodes.push_back(std::move(upper));
    if (flexible) {
      nodes.push_back({{"name", skeleton.names[j]}, {"rotation", bind.inner}, {"scale", keys.inner_scale}});
    }
  }
  // Add children after all nodes exist.
  for (std::size_t j = 0; j < skeleton.bones(); ++j) {
    const std::int32_t parent = bones.nodes[j].parent;
    nodes[parent < 0 ? 0 : indices.joint[std::size_t(parent)]]["children"].push_back(indices.upper[j]);
  }
  return nodes;
}

/// Key times of a clip in seconds. Throws if two frames round to the same float.
std::vector<float> key_times(const Timeline& timeline, const Clip& clip, const Run& run) {
  const double* times = timeline.times.data() + clip.first;
  double shift = 0;
  if (times[0] < 0) {
    shift = -times[0];
    run.warn(fmt::format("clip \"{}\" starts at {} s, but a GLB has no times before 0 s. It is shifted to start at 0 s",
                         clip.name, times[0]));
  }
  std::vector<float> out(clip.count);
  for (std::size_t t = 0; t < clip.count; ++t) {
    out[t] = float(times[t] + shift);
    if (t == 0 || out[t] > out[t - 1]) continue;
    throw Error(ErrorCode::bad_input, "write_glb",
                fmt::format("frames {} and {} of clip \"{}\" are at {} s and {} s, which is the same time in a GLB's "
                            "32-bit floats; start the clip nearer to 0 or lower the frame rate",
                            t - 1, t, clip.name, times[t - 1], times[t]));
  }
  return out;
}

/// Adds the channels of one animation. All keys of a clip share one buffer view.
class ClipWriter {
 public:
  ClipWriter(GlbFile& glb, const BoneNodes& bones, const Clip& clip, std::vector<float> times)
      : glb_(glb), bones_(bones), clip_(clip) {
    const auto shared_times = std::make_shared<const std::vector<float>>(std::move(times));
    const GlbFile::Json limits = {{"min", GlbFile::Json::array({shared_times->front()})},
                                  {"max", GlbFile::Json::array({shared_times->back()})}};
    input_ = glb.add({fmt::format("times of clip \"{}\"", clip.name), 4 * clip.count, 0,
                      [shared_times](ByteStream& out) { out.put(*shared_times); }},
                     {.count = clip.count, .limits = limits});
    std::uint64_t bytes = 0;
    for (const BoneNode& node : bones.nodes) bytes += floats_per_key(node.keys.kind) * 4 * clip.count;
    view_ = glb.add_view(
        {fmt::format("keys of clip \"{}\"", clip.name), bytes, 0, [this_clip = clip, &bones](ByteStream& out) {
           for (const BoneNode& node : bones.nodes) write_keys(node.keys, this_clip, out);
         }});
  }

  GlbFile::Json animation(const BoneIndices& indices) {
    for (std::size_t j = 0; j < bones_.nodes.size(); ++j) {
      const KeyKind kind = bones_.nodes[j].keys.kind;
      if (kind != KeyKind::turning) add_channel(indices.upper[j], "translation", "VEC3", 3);
      add_channel(indices.upper[j], "rotation", "VEC4", 4);
      if (kind == KeyKind::scaled || kind == KeyKind::flexible) add_channel(indices.upper[j], "scale", "VEC3", 3);
      if (kind == KeyKind::flexible) add_channel(indices.joint[j], "rotation", "VEC4", 4);
    }
    return {{"name", clip_.name}, {"channels", std::move(channels_)}, {"samplers", std::move(samplers_)}};
  }

 private:
  static std::uint64_t floats_per_key(KeyKind kind) {
    switch (kind) {
      case KeyKind::turning:
        return 4;
      case KeyKind::rigid:
        return 7;
      case KeyKind::scaled:
        return 10;
      case KeyKind::flexible:
        break;
    }
    return 14;
  }

  /// Keys in the order of the channels.
  static void write_keys(const NodeKeys<float>& keys, const Clip& clip, ByteStream& out) {
    // Key 0 is the bind pose.
    const std::span<const NodeKey<float>> part = std::span(keys.keys).subspan(1 + clip.first, clip.count);
    if (keys.kind != KeyKind::turning) {
      for (const auto& key : part) out.put(key.translation);
    }
    for (const auto& key : part) out.put(key.rotation);
    if (keys.kind == KeyKind::turning || keys.kind == KeyKind::rigid) return;
    for (const auto& key : part) out.put(key.scale);
    if (keys.kind == KeyKind::scaled) return;
    for (const auto& key : part) out.put(key.inner);
  }

  void add_channel(std::size_t node, const char* path, const char* type, std::size_t floats) {
    const std::size_t output =
        glb_.add_accessor({.view = view_, .offset = offset_, .type = type, .count = clip_.count});
    offset_ += 4 * floats * clip_.count;
    channels_.push_back({{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input_}, {"output", output}});
  }

  GlbFile& glb_;
  const BoneNodes& bones_;
  const Clip& clip_;
  std::size_t input_ = 0, view_ = 0;
  std::uint64_t offset_ = 0;
  GlbFile::Json channels_ = GlbFile::Json::array(), samplers_ = GlbFile::Json::array();
};

std::size_t add_inverse_binds(GlbFile& glb, const std::vector<Affine>& inverse_bind) {
  const auto write = [&inverse_bind](ByteStream& out) {
    for (const Affine& a : inverse_bind) {
      std::array<float, 16> columns{};
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t r = 0; r < 3; ++r) columns[4 * c + r] = float(a(r, c));
      }
      columns[15] = 1;
      out.put(columns);
    }
  };
  return glb.add({"inverse bind transforms", 64 * inverse_bind.size(), 0, write},
                 {.type = "MAT4", .count = inverse_bind.size()});
}

void check_writable(const Rig& rig, const std::string& name) {
  validate(rig);
  if (rig.vertices() == 0) {
    throw Error(ErrorCode::bad_input, name, "the rig has no vertices, and a GLB cannot have an empty mesh");
  }
  constexpr std::size_t most_bones = 65536;  // joints are 16-bit
  if (rig.bones() > most_bones) {
    throw Error(ErrorCode::bad_request, name,
                fmt::format("the rig has {} bones, but a GLB can have only {}", rig.bones(), most_bones));
  }
}

/// `model`: stored beside the plain skin of the rig; may be null.
void write_rig(const Rig& rig, const Model* model, GlbOutput& output, const GlbOptions& options, const Run& run) {
  check_writable(rig, output.name());
  Stages stages(run, {1, 1});
  const BoneNodes bones = make_bone_nodes(rig, stages.next());
  const BoneIndices indices = number_nodes(bones);
  const GlbMesh mesh(rig, options.normals);

  GlbFile glb;
  GlbFile::Json nodes = node_list(rig.skeleton, bones, indices);
  const std::size_t mesh_node = nodes.size();
  nodes.push_back({{"name", "mesh"}, {"mesh", 0}, {"skin", 0}});

  GlbFile::Json document;
  document["asset"] = {{"version", "2.0"},
                       {"generator", "marrow " MARROW_VERSION},
                       {"extras", {{"marrow", {{"version", MARROW_VERSION}}}}}};
  document["scene"] = 0;
  document["scenes"] = GlbFile::Json::array({{{"nodes", GlbFile::Json::array({0, mesh_node})}}});
  document["nodes"] = std::move(nodes);
  document["meshes"] = GlbFile::Json::array({mesh.describe(glb)});
  document["skins"] = GlbFile::Json::array({{{"inverseBindMatrices", add_inverse_binds(glb, bones.inverse_bind)},
                                             {"skeleton", 0},
                                             {"joints", indices.joint}}});
  GlbFile::Json animations = GlbFile::Json::array();
  for (const Clip& clip : rig.motion.timeline.clips) {
    ClipWriter writer(glb, bones, clip, key_times(rig.motion.timeline, clip, run));
    animations.push_back(writer.animation(indices));
  }
  if (!animations.empty()) document["animations"] = std::move(animations);
  if (model != nullptr) {
    document["extensionsUsed"] = GlbFile::Json::array({skinning_extension});
    document["extensions"] = {{skinning_extension, describe_skinning(glb, *model, options)}};
  }
  glb.write(std::move(document), output, stages.next());
  stages.done();
}

void write_model(const Model& model, GlbOutput& output, const GlbOptions& options, const Run& run) {
  validate(model);
  const auto* layers = std::get_if<TwoLayerRig>(&model);
  const Model written = layers != nullptr && !options.float_layers ? Model(quantised(*layers)) : model;
  write_rig(plain_rig(written), &written, output, options, run);
}

}  // namespace

void write_glb(const Rig& rig, const std::filesystem::path& file, const GlbOptions& options, const Run& run) {
  GlbFileOutput output(file);
  write_rig(rig, nullptr, output, options, run);
}

void write_glb(const Model& model, const std::filesystem::path& file, const GlbOptions& options, const Run& run) {
  GlbFileOutput output(file);
  write_model(model, output, options, run);
}

std::vector<std::byte> to_glb(const Rig& rig, const GlbOptions& options, const Run& run) {
  GlbMemoryOutput output;
  write_rig(rig, nullptr, output, options, run);
  return output.take();
}

std::vector<std::byte> to_glb(const Model& model, const GlbOptions& options, const Run& run) {
  GlbMemoryOutput output;
  write_model(model, output, options, run);
  return output.take();
}

}  // namespace marrow
