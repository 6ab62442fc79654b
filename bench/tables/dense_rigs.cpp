#include "dense_rigs.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <string_view>

#include "csv.hpp"
#include "marrow/decompose.hpp"

namespace marrow::tables {
namespace {

constexpr std::uint64_t cache_magic = 0x3147495257524D00;  // version 1

template <class T>
void write_array(std::ofstream& out, const std::vector<T>& values) {
  const std::uint64_t count = values.size();
  out.write(reinterpret_cast<const char*>(&count), sizeof count);
  out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(count * sizeof(T)));
}

/// False if the file ends early.
template <class T>
bool read_array(std::ifstream& in, std::vector<T>& values) {
  std::uint64_t count = 0;
  if (!in.read(reinterpret_cast<char*>(&count), sizeof count)) return false;
  const auto here = in.tellg();
  in.seekg(0, std::ios::end);
  const auto left = std::uint64_t(in.tellg() - here);
  in.seekg(here);
  if (count > left / sizeof(T)) return false;
  values.resize(count);
  return bool(in.read(reinterpret_cast<char*>(values.data()), std::streamsize(count * sizeof(T))));
}

/// Bones as from decompose(): no hierarchy, bind transforms at the centroids.
Rig assemble(const Sequence& sequence, std::size_t bones, Weights weights, std::vector<Affine> transforms) {
  Rig rig{sequence.mesh, {}, std::move(weights), {sequence.timeline, bones, std::move(transforms)}};
  rig.skeleton = centroid_skeleton(rig.mesh, rig.weights, bones);
  validate(rig);
  return rig;
}

bool load(const std::filesystem::path& file, const DenseRig& row, const Sequence& sequence, Rig& rig) {
  std::ifstream in(file, std::ios::binary);
  std::uint64_t magic = 0;
  if (!in || !in.read(reinterpret_cast<char*>(&magic), sizeof magic) || magic != cache_magic) return false;
  Weights weights;
  std::vector<Affine> transforms;
  if (!read_array(in, weights.offsets) || !read_array(in, weights.bones) || !read_array(in, weights.values) ||
      !read_array(in, transforms)) {
    return false;
  }
  rig = assemble(sequence, row.bones, std::move(weights), std::move(transforms));
  return true;
}

void save(const std::filesystem::path& file, const Rig& rig) {
  const std::filesystem::path temporary = file.string() + ".part";
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&cache_magic), sizeof cache_magic);
    write_array(out, rig.weights.offsets);
    write_array(out, rig.weights.bones);
    write_array(out, rig.weights.values);
    write_array(out, rig.motion.transforms);
    if (!out.flush()) throw std::runtime_error(temporary.string() + ": cannot be written");
  }
  std::filesystem::rename(temporary, file);
}

class Fnv {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    for (const char c : bytes) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace

std::vector<DenseRig> read_dense_rigs(const std::filesystem::path& csv) {
  std::vector<DenseRig> rigs;
  for (const Row& row : read_csv(csv)) {
    const std::string& influences = row.at("influences");
    const auto hash = row.find("hash"), smooth = row.find("smooth");
    rigs.push_back({row.at("dataset"), std::stoul(row.at("bones")), influences == "all" ? 0 : std::stoul(influences),
                    smooth == row.end() ? 0 : std::stod(smooth->second),
                    hash == row.end() || hash->second.empty() ? 0 : std::stoull(hash->second, nullptr, 16)});
  }
  return rigs;
}

std::uint64_t hash_of(const Rig& rig) {
  Fnv fnv;
  fnv.add(rig.weights.offsets);
  fnv.add(rig.weights.bones);
  fnv.add(rig.weights.values);
  fnv.add(rig.motion.transforms);
  return fnv.state();
}

Rig solve_or_load(const DenseRig& row, const Sequence& sequence, const std::filesystem::path& cache) {
  std::filesystem::create_directories(cache);
  std::string name =
      fmt::format("{}_{}_{}", row.dataset, row.bones, row.influences == 0 ? "all" : std::to_string(row.influences));
  if (row.smooth > 0) name += fmt::format("_smooth_{}", row.smooth);
  const std::filesystem::path file = cache / (name + ".rig");
  Rig rig;
  if (!load(file, row, sequence, rig)) {
    const DecomposeOptions options{.bones = row.bones,
                                   .influences = row.influences == 0 ? row.bones : row.influences,
                                   .kind = BoneKind::flexible,
                                   .conditioning = dense_conditioning,
                                   .smooth = row.smooth,
                                   .effort = Effort::fast};
    Rig solved = decompose(sequence, options).value;
    rig = assemble(sequence, row.bones, std::move(solved.weights), std::move(solved.motion.transforms));
    save(file, rig);
  }
  const std::uint64_t hash = hash_of(rig);
  if (row.hash != 0 && row.hash != hash) {
    throw std::runtime_error(fmt::format("{}: hash {:016x}, but the table is about {:016x}; remove {} to solve it anew",
                                         name, hash, row.hash, file.string()));
  }
  return rig;
}

}  // namespace marrow::tables
