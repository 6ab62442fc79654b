#include "core/option_fields.hpp"
#include "marrow/render.hpp"
#include "render/image.hpp"

namespace marrow {

const EnumNames<View>& view_names() {
  static const EnumNames<View> names = {
      {View::front, "front", "from the front"}, {View::back, "back", "from behind"},
      {View::left, "left", "from the left"},    {View::right, "right", "from the right"},
      {View::top, "top", "from above"},         {View::quarter, "quarter", "from the front, the right and above"}};
  return names;
}

std::vector<Option> option_table(RenderOptions& options) {
  using O = RenderOptions;
  const OptionFields<O> field(options);
  const char* in_size = "--size WIDTHxHEIGHT gives both sides";
  const auto side = [&](const char* name, int O::*member, const char* help) {
    return field(name, member,
                 {.help = help, .least = 1, .most = max_image_side, .unit = "pixels", .no_flag = in_size});
  };
  const auto shade = [&](const char* name, std::uint8_t Rgb::*channel, const char* help) {
    return field(name, [channel](O& o) -> std::uint8_t& { return o.background.*channel; },
                 {.help = help, .least = 0, .most = 255, .no_flag = "for programs"});
  };
  return {
      side("width", &O::width, "Width of the picture"),
      side("height", &O::height, "Height of the picture"),
      field("view", &O::view, view_names(), {.help = "Where to look from"}),
      shade("background.r", &Rgb::r, "Red of the background"),
      shade("background.g", &Rgb::g, "Green of the background"),
      shade("background.b", &Rgb::b, "Blue of the background"),
      field("wireframe", &O::wireframe, {.help = "Draw the polygons' edges"}),
      field("ground", &O::ground, {.help = "Draw a soft shadow on the ground"}),
  };
}

}  // namespace marrow
