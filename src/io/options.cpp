#include "core/option_fields.hpp"
#include "marrow/io.hpp"

namespace marrow {

std::vector<Option> option_table(ReadOptions& options) {
  using O = ReadOptions;
  const OptionFields<O> field(options);
  static const EnumNames<char> axes = {{'y', "y", "as in output"}, {'z', "z", "the input is turned to y-up"}};
  return {
      field("rest", &O::rest, {.help = "OBJ with the rest pose and faces (else NAME.obj, or the first frame)"}),
      // The bounds keep times finite and apart for any number of frames.
      field("fps", &O::fps,
            {.help = "Frames per second",
             .least = 1e-6,
             .most = 1e6,
             .zero = "the file's own times, or 30",
             .unit = "frames per second"}),
      field("up", &O::up, axes, {.help = "Up axis of the input"}),
      field("unit", &O::unit,
            {.help = "Unit of the input, or a factor for positions",
             .least = 0,
             .above_least = true,
             .words = {{"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000.0}}}),
  };
}

std::vector<Option> option_table(GlbOptions& options) {
  using O = GlbOptions;
  const OptionFields<O> field(options);
  return {
      field("normals", &O::normals,
            {.help = "Add smooth normals where the mesh has none",
             .no_flag = "players need normals; programs may leave them out"}),
      field("float_layers", &O::float_layers,
            {.help = "Write values of two layers as floats instead of two bytes each", .flag = "--float"}),
  };
}

}  // namespace marrow
