#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "io/input_file.hpp"
#include "io/obj.hpp"
#include "io/pc2.hpp"
#include "marrow/io.hpp"

namespace {

namespace fs = std::filesystem;
using marrow::Mesh;
using marrow::Sequence;
using marrow::Vec3;

/// Temporary folder of this run.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "marrow-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

const Folder& folder() {
  static const Folder folder;
  return folder;
}

/// A wavy sheet of side x side vertices, two triangles per cell.
Mesh sheet(std::uint32_t side) {
  Mesh mesh;
  mesh.face_offsets.push_back(0);
  for (std::uint32_t r = 0; r < side; ++r) {
    for (std::uint32_t c = 0; c < side; ++c) {
      const float x = float(c) / float(side), y = float(r) / float(side);
      mesh.positions.push_back({x, y, std::sin(17 * x) * std::cos(13 * y)});
      if (r == 0 || c == 0) continue;
      const std::uint32_t v = r * side + c;
      for (const std::uint32_t corner : {v - side - 1, v - side, v, v - side - 1, v, v - 1})
        mesh.face_vertices.push_back(corner);
      for (int k = 0; k < 2; ++k) mesh.face_offsets.push_back(mesh.face_offsets.back() + 3);
    }
  }
  return mesh;
}

/// About 200 MB of frames.
const Sequence& frames() {
  static const Sequence sequence = [] {
    Sequence s{{}, marrow::Timeline::uniform(833, 30), {}};
    s.mesh.positions.resize(20'000);
    s.positions.resize(s.frames() * s.vertices());
    float value = 0;
    for (Vec3& p : s.positions) p = {value += 0.125f, value, -value};
    return s;
  }();
  return sequence;
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(std::int64_t(bytes) * state.iterations());
}

void obj_parse(benchmark::State& state) {
  const fs::path file = folder() / "sheet.obj";
  write_obj(sheet(700), file);
  const marrow::InputFile input(file);
  std::string text(input.size(), ' ');
  input.read(0, text.data(), text.size());
  for (auto _ : state) benchmark::DoNotOptimize(marrow::parse_obj(text, "sheet"));
  count_bytes(state, text.size());
}
BENCHMARK(obj_parse)->Unit(benchmark::kMillisecond);

void obj_read(benchmark::State& state) {
  const fs::path file = folder() / "sheet.obj";
  write_obj(sheet(700), file);
  for (auto _ : state) benchmark::DoNotOptimize(marrow::read_obj(file));
  count_bytes(state, fs::file_size(file));
}
BENCHMARK(obj_read)->Unit(benchmark::kMillisecond);

void obj_write(benchmark::State& state) {
  const fs::path file = folder() / "sheet.obj";
  const Mesh mesh = sheet(700);
  for (auto _ : state) write_obj(mesh, file);
  count_bytes(state, fs::file_size(file));
}
BENCHMARK(obj_write)->Unit(benchmark::kMillisecond);

/// Baseline of pc2_read: read(2) of the whole file into a fresh buffer.
void plain_read(benchmark::State& state) {
  const fs::path file = folder() / "frames.pc2";
  write_pc2(frames(), file);
  const std::size_t size = fs::file_size(file);
  for (auto _ : state) {
    const std::unique_ptr<char[]> buffer(new char[size]);
    const int descriptor = open(file.c_str(), O_RDONLY);
    for (std::size_t done = 0; done < size;) {
      const ssize_t got = read(descriptor, buffer.get() + done, size - done);
      if (got <= 0) throw std::runtime_error("cannot read");
      done += std::size_t(got);
    }
    close(descriptor);
    benchmark::DoNotOptimize(buffer.get());
  }
  count_bytes(state, size);
}
BENCHMARK(plain_read)->Unit(benchmark::kMillisecond)->UseRealTime();

void pc2_read(benchmark::State& state) {
  const fs::path file = folder() / "frames.pc2";
  write_pc2(frames(), file);
  for (auto _ : state) {
    benchmark::DoNotOptimize(marrow::Pc2File(file).read({.threads = int(state.range(0))}));
  }
  count_bytes(state, fs::file_size(file));
}
BENCHMARK(pc2_read)->ArgName("threads")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Baseline of pc2_write: write(2) of the same bytes.
void plain_write(benchmark::State& state) {
  const fs::path file = folder() / "plain";
  const auto& positions = frames().positions;
  const std::size_t size = positions.size() * sizeof(Vec3);
  for (auto _ : state) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (std::size_t done = 0; done < size;) {
      const ssize_t put = write(descriptor, reinterpret_cast<const char*>(positions.data()) + done, size - done);
      if (put <= 0) throw std::runtime_error("cannot write");
      done += std::size_t(put);
    }
    close(descriptor);
    state.PauseTiming();
    fs::remove(file);
    state.ResumeTiming();
  }
  count_bytes(state, size);
}
BENCHMARK(plain_write)->Unit(benchmark::kMillisecond)->UseRealTime();

void pc2_write(benchmark::State& state) {
  const fs::path file = folder() / "written.pc2";
  for (auto _ : state) {
    write_pc2(frames(), file);
    state.PauseTiming();
    fs::remove(file);
    state.ResumeTiming();
  }
  count_bytes(state, frames().positions.size() * sizeof(Vec3));
}
BENCHMARK(pc2_write)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
