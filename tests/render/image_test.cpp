#include <gtest/gtest.h>
#include <png.h>

#include "marrow/error.hpp"
#include "marrow/render.hpp"
#include "render/pictures.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

using testing::changed;
using testing::pixel;

Image plain(int width, int height, Rgb color = testing::paper) {
  return {width, height, std::vector<Rgb>(std::size_t(width) * std::size_t(height), color)};
}

Image read_png(const std::filesystem::path& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&png, file.c_str()), 0) << png.message;
  EXPECT_EQ(png.format & PNG_FORMAT_FLAG_ALPHA, 0U);
  png.format = PNG_FORMAT_RGB;
  Image image = plain(int(png.width), int(png.height));
  EXPECT_NE(png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr), 0) << png.message;
  return image;
}

TEST(Png, RoundTrip) {
  Image image = plain(61, 37);
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    image.pixels[k] = {std::uint8_t(k), std::uint8_t(k / 7), std::uint8_t(k * 5)};
  }
  const auto file = testing::output_folder() / "picture.png";
  write_png(image, file);
  const Image back = read_png(file);
  EXPECT_EQ(back.width, 61);
  EXPECT_EQ(back.height, 37);
  EXPECT_EQ(back.pixels, image.pixels);
}

TEST(Png, IsCompressed) {
  const auto file = testing::output_folder() / "plain.png";
  write_png(plain(500, 500), file);
  EXPECT_LT(std::filesystem::file_size(file), 10'000U);
}

TEST(Png, RefusesWhatCannotBeWritten) {
  const auto folder = testing::output_folder();
  const auto code = [](const Image& image, const std::filesystem::path& file) {
    try {
      write_png(image, file);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::stopped;
  };
  EXPECT_EQ(code(plain(4, 4), folder / "missing" / "a.png"), ErrorCode::bad_file);
  EXPECT_EQ(code({}, folder / "a.png"), ErrorCode::bad_input);
  EXPECT_EQ(code({4, 4, std::vector<Rgb>(15)}, folder / "a.png"), ErrorCode::bad_input);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(Tile, PutsPicturesInRows) {
  const Rgb red{255, 0, 0}, green{0, 255, 0}, blue{0, 0, 255};
  const std::vector<Image> images{plain(10, 6, red), plain(10, 6, green), plain(4, 3, blue)};
  const Image all = tile(images, 2);
  EXPECT_EQ(all.width, 28);
  EXPECT_EQ(all.height, 20);
  EXPECT_EQ(pixel(all, 9, 5), red);
  EXPECT_EQ(pixel(all, 10, 5), testing::paper);
  EXPECT_EQ(pixel(all, 18, 0), green);
  EXPECT_EQ(pixel(all, 27, 5), green);
  EXPECT_EQ(pixel(all, 0, 13), testing::paper);
  EXPECT_EQ(pixel(all, 0, 14), blue);
  EXPECT_EQ(pixel(all, 3, 16), blue);
  EXPECT_EQ(pixel(all, 4, 14), testing::paper);
  EXPECT_EQ(pixel(all, 18, 14), testing::paper);
  EXPECT_EQ(tile(images, 100).width, 46);
}

TEST(Tile, RefusesNonsense) {
  const std::vector<Image> one{plain(10, 6)}, broken{{3, 3, {}}}, many(100, plain(200, 1));
  EXPECT_THROW(tile(one, 0), Error);
  EXPECT_THROW(tile({}, 1), Error);
  EXPECT_THROW(tile(broken, 1), Error);
  EXPECT_THROW(tile(many, 100), Error);
}

TEST(Label, StaysInItsCells) {
  const std::string text = "E_RMS: 0.5% (gyp, 3/4) @~\x7F";
  for (const int scale : {1, 2, 5}) {
    const Image before = plain(1000, 100);
    Image after = before;
    draw_label(after, 20, 30, text, {0, 0, 0}, scale);
    const auto found = changed(before, after);
    EXPECT_GT(found.count, 100);
    EXPECT_GE(found.left, 20);
    EXPECT_LE(found.right, 20 + label_width(text, scale));
    EXPECT_GE(found.top, 30);
    EXPECT_LE(found.bottom, 30 + 9 * scale);
  }
  EXPECT_EQ(label_width("abc", 2), 36);
}

TEST(Label, DrawsItsDots) {
  Image image = plain(12, 12);
  draw_label(image, 1, 1, "L", {0, 0, 0}, 1);
  const auto black = testing::find_pixels(image, [&](int x, int y) { return pixel(image, x, y) == Rgb{0, 0, 0}; });
  EXPECT_EQ(black.count, 7 + 4);
  EXPECT_EQ(pixel(image, 1, 1), (Rgb{0, 0, 0}));
  EXPECT_EQ(pixel(image, 5, 7), (Rgb{0, 0, 0}));
  EXPECT_EQ(pixel(image, 5, 1), testing::paper);
}

TEST(Label, LettersDiffer) {
  std::vector<std::vector<Rgb>> seen;
  for (char c = '!'; c <= '~'; ++c) {
    Image image = plain(12, 18);
    draw_label(image, 0, 0, std::string(1, c));
    EXPECT_GT(changed(plain(12, 18), image).count, 2) << c;
    EXPECT_EQ(std::ranges::count(seen, image.pixels), 0) << c;
    seen.push_back(image.pixels);
  }
}

TEST(Label, OutsideOfThePictureIsLeftOut) {
  Image image = plain(20, 10);
  draw_label(image, -2'000'000'000, 0, "far");
  draw_label(image, 2'000'000'000, 2'000'000'000, "far");
  draw_label(image, 3, -2'000'000'000, "far");
  EXPECT_EQ(image.pixels, plain(20, 10).pixels);
  draw_label(image, -5, -5, "near");
  EXPECT_NE(image.pixels, plain(20, 10).pixels);
  EXPECT_THROW(draw_label(image, 0, 0, "a", {}, 0), Error);
}

TEST(HeatLegend, StaysInItsCorner) {
  for (const auto& [width, height, scale] : {std::tuple{480, 360, 1}, {960, 720, 2}, {300, 200, 1}}) {
    const Image before = plain(width, height);
    Image after = before;
    draw_heat_legend(after, 0.0123F, "a title that is by far too long for this");
    const auto found = changed(before, after);
    EXPECT_GE(found.left, width - 146 * scale);
    EXPECT_GE(found.top, height - 40 * scale);
    EXPECT_LE(found.right, width - 8 * scale + 1);
    EXPECT_LT(found.bottom, height);
    EXPECT_GT(found.right - found.left, 100 * scale);
  }
}

TEST(HeatLegend, ShowsTheScale) {
  Image image = plain(480, 360);
  draw_heat_legend(image, 2, "mm");
  const std::vector<Rgb> ends = heat_colors(std::vector<float>{0, 2}, 2);
  const auto has = [&](Rgb color) { return std::ranges::count(image.pixels, color) > 0; };
  EXPECT_TRUE(has(ends[0]));
  EXPECT_TRUE(has(ends[1]));
  Image other = plain(480, 360);
  draw_heat_legend(other, 3, "mm");
  EXPECT_NE(image.pixels, other.pixels);
}

TEST(HeatLegend, TinyPicturesAndBadValues) {
  Image tiny = plain(1, 1), narrow = plain(30, 5);
  EXPECT_NO_THROW(draw_heat_legend(tiny, 1, "mm"));
  EXPECT_NO_THROW(draw_heat_legend(narrow, 1, "mm"));
  EXPECT_THROW(draw_heat_legend(narrow, -1, "mm"), Error);
  Image broken{4, 4, {}};
  EXPECT_THROW(draw_heat_legend(broken, 1, "mm"), Error);
}

}  // namespace
}  // namespace marrow
