#include "render/image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>

#include "core/atomic_file.hpp"
#include "core/check.hpp"
#include "render/color.hpp"

namespace marrow {
namespace {

bool side_in_range(int side) {
  return side >= 1 && side <= max_image_side;
}

std::size_t index(const Image& image, int x, int y) {
  return std::size_t(y) * std::size_t(image.width) + std::size_t(x);
}

}  // namespace

Image make_image(int width, int height, Rgb color, const char* where) {
  if (!side_in_range(width) || !side_in_range(height)) {
    throw Error(ErrorCode::bad_request, where,
                fmt::format("a picture of {} x {} pixels: both sides must be 1 to {}", width, height, max_image_side));
  }
  return {width, height, std::vector<Rgb>(std::size_t(width) * std::size_t(height), color)};
}

void check_image(const Image& image, const char* where) {
  require(side_in_range(image.width) && side_in_range(image.height), where, [&] {
    return fmt::format("the picture has {} x {} pixels: both sides must be 1 to {}", image.width, image.height,
                       max_image_side);
  });
  require(image.pixels.size() == std::size_t(image.width) * std::size_t(image.height), where, [&] {
    return fmt::format("the picture holds {} pixels, but is {} x {}", image.pixels.size(), image.width, image.height);
  });
}

void blend(Image& image, int x, int y, Rgb color, float share) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || share <= 0) return;
  Rgb& pixel = image.pixels[index(image, x, y)];
  const Linear under = to_linear(pixel);
  pixel = share >= 1 ? color : to_rgb(Linear(under + share * (to_linear(color) - under)));
}

Image tile(std::span<const Image> images, int columns) {
  constexpr const char* where = "tile";
  if (columns < 1) throw Error(ErrorCode::bad_request, where, fmt::format("{} columns: give 1 or more", columns));
  require(!images.empty(), where, [] { return "there are no pictures to tile"; });
  int cell_width = 0, cell_height = 0;
  for (const Image& image : images) {
    check_image(image, where);
    cell_width = std::max(cell_width, image.width);
    cell_height = std::max(cell_height, image.height);
  }
  constexpr int gap = 8;
  const auto across = std::min(images.size(), std::size_t(columns));
  const auto down = (images.size() + across - 1) / across;
  const auto total = [](std::size_t cells, int cell) {
    const std::size_t side = cells * std::size_t(cell + gap) - gap;
    return int(std::min<std::size_t>(side, max_image_side + 1));
  };
  Image out = make_image(total(across, cell_width), total(down, cell_height), RenderOptions{}.background, where);
  for (std::size_t e = 0; e < images.size(); ++e) {
    const int left = int(e % across) * (cell_width + gap);
    const int top = int(e / across) * (cell_height + gap);
    for (int y = 0; y < images[e].height; ++y) {
      std::copy_n(images[e].pixels.begin() + std::ptrdiff_t(index(images[e], 0, y)), images[e].width,
                  out.pixels.begin() + std::ptrdiff_t(index(out, left, top + y)));
    }
  }
  return out;
}

void write_png(const Image& image, const std::filesystem::path& file) {
  check_image(image, "write_png");
  static_assert(sizeof(Rgb) == 3, "pixels are handed to libpng as they are");
  AtomicFile out(file);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = png_uint_32(image.width);
  png.height = png_uint_32(image.height);
  png.format = PNG_FORMAT_RGB;
  // The simplified interface handles libpng's longjmp.
  if (png_image_write_to_stdio(&png, out.handle(), 0, image.pixels.data(), 3 * image.width, nullptr) == 0) {
    throw Error(ErrorCode::bad_file, file.string(), fmt::format("cannot be written ({})", png.message));
  }
  out.commit();
}

}  // namespace marrow
