#include "marrow/render.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

#include "marrow/error.hpp"
#include "render/pictures.hpp"
#include "support/files.hpp"

namespace marrow {
namespace {

using testing::drawn;
using testing::paper;
using testing::pixel;
using testing::small;

constexpr Rgb red{220, 30, 30}, blue{30, 30, 220};

/// Two triangles across the view along z, both around the origin; the first at height z, the second at -z.
Mesh two_layers(float z) {
  return testing::triangle_mesh({{-1, -1, z}, {1, -1, z}, {0, 1, z}, {-1, -1, -z}, {1, -1, -z}, {0, 1, -z}});
}

std::vector<Rgb> red_then_blue() {
  return {red, red, red, blue, blue, blue};
}

bool reddish(Rgb c) {
  return c.r > 2 * c.b;
}

bool bluish(Rgb c) {
  return c.b > 2 * c.r;
}

TEST(Render, TriangleCoversTheMiddleAndLeavesTheCorners) {
  const Mesh mesh = testing::triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}});
  const Image image = render(mesh, mesh.positions, {}, {}, small(View::front));
  ASSERT_EQ(image.pixels.size(), 120U * 90U);
  EXPECT_NE(pixel(image, 60, 50), paper);
  EXPECT_EQ(pixel(image, 0, 0), paper);
  EXPECT_EQ(pixel(image, 119, 0), paper);
  EXPECT_EQ(pixel(image, 119, 89), paper);
}

TEST(Render, FillsThePictureUpToTheMargin) {
  Mesh mesh;
  testing::add_box(mesh, {-1, -1, -1}, {1, 1, 1});
  for (const View view : {View::front, View::top, View::quarter}) {
    const auto found = drawn(render(mesh, mesh.positions, {}, {}, small(view)));
    // 5% of 90 pixels is 4.5; the box is limited by the height.
    EXPECT_EQ(found.top, 4);
    EXPECT_EQ(found.bottom, 86);
    EXPECT_NEAR(found.left + found.right, 120, 1);
  }
}

TEST(Render, NearerCoversFarther) {
  const Mesh mesh = two_layers(0.2F);
  EXPECT_PRED1(reddish, pixel(render(mesh, mesh.positions, red_then_blue(), {}, small(View::front)), 60, 50));
  EXPECT_PRED1(bluish, pixel(render(mesh, mesh.positions, red_then_blue(), {}, small(View::back)), 60, 50));
}

TEST(Render, NoGapsBetweenTrianglesOfAGrid) {
  const Mesh mesh = testing::grid_mesh(19, [](float column, float row) { return Vec3{column, row, 0}; });
  const Image image = render(mesh, mesh.positions, {}, {}, small(View::front));
  const auto found = drawn(image);
  // A flat square: every pixel inside its border has exactly the same clay, up to the camera's angle.
  int lightest = 0, darkest = 255;
  for (int y = found.top + 2; y < found.bottom - 2; ++y) {
    for (int x = found.left + 2; x < found.right - 2; ++x) {
      lightest = std::max<int>(lightest, pixel(image, x, y).g);
      darkest = std::min<int>(darkest, pixel(image, x, y).g);
    }
  }
  EXPECT_LE(lightest - darkest, 6);
}

TEST(Render, BackFacesLookDifferent) {
  const Mesh front = testing::triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}});
  const Mesh flipped = testing::triangle_mesh({{1, -1, 0}, {-1, -1, 0}, {0, 1, 0}});
  const Rgb a = pixel(render(front, front.positions, {}, {}, small(View::front)), 60, 50);
  const Rgb b = pixel(render(flipped, flipped.positions, {}, {}, small(View::front)), 60, 50);
  EXPECT_GT(a.r, b.r + 40);
  EXPECT_GT(a.r, a.b);
  EXPECT_LT(b.r, b.b);
}

TEST(Render, EdgesAreSmooth) {
  // Along a nearly level edge, coverage grows in ninths: a grid of 3 x 3 samples without shifts knows thirds only.
  const Mesh mesh = testing::triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {1, -0.9F, 0}});
  const std::vector<Rgb> black(3, Rgb{0, 0, 0});
  const Image image = render(mesh, mesh.positions, black, {}, small(View::front));
  const auto found = drawn(image);
  const int row = (found.top + found.bottom) / 2;
  std::set<int> shades;
  for (int x = 0; x < image.width; ++x) shades.insert(pixel(image, x, row).g / 8);
  EXPECT_GE(shades.size(), 8U);
}

TEST(Render, EmptyMeshGivesTheBackground) {
  RenderOptions options = small(View::quarter);
  options.background = {10, 20, 30};
  const Image image = render({}, {}, {}, {}, options);
  EXPECT_TRUE(std::ranges::all_of(image.pixels, [](Rgb p) { return p == Rgb{10, 20, 30}; }));
}

/// A box with a small one on its +x side, low, and one on its +z side, high: no two views see the same.
Mesh asymmetric() {
  Mesh mesh;
  testing::add_box(mesh, {-1, -1, -1}, {1, 1, 1});
  testing::add_box(mesh, {1, -1, -0.2F}, {3, -0.6F, 0.2F});
  testing::add_box(mesh, {-0.2F, 0.6F, 1}, {0.2F, 1, 4});
  return mesh;
}

/// Where a thin box should be seen from the body: signs to the right and down, 0 where it does not matter.
struct Side {
  bool seen;
  int right, down;
};

void expect_side(const Image& image, bool (*is_part)(Rgb), const Side& side) {
  const auto body = testing::find_pixels(image, [&](int x, int y) {
    const Rgb p = pixel(image, x, y);
    return p != paper && std::abs(p.r - p.b) < 40;
  });
  const auto part = testing::find_pixels(image, [&](int x, int y) { return is_part(pixel(image, x, y)); });
  EXPECT_EQ(part.count > 20, side.seen);
  if (side.right != 0) {
    EXPECT_GT((part.x - body.x) * side.right, 0.1);
  }
  if (side.down != 0) {
    EXPECT_GT((part.y - body.y) * side.down, 0.05);
  }
}

TEST(Render, ViewsShowTheRightSides) {
  const Mesh mesh = asymmetric();
  std::vector<Rgb> colors(mesh.vertices(), Rgb{160, 160, 160});
  std::fill_n(colors.begin() + 8, 8, red);
  std::fill_n(colors.begin() + 16, 8, blue);
  struct Case {
    View view;
    Side x_box, z_box;
  };
  for (const Case& c :
       {Case{View::front, {true, 1, 1}, {true, 0, -1}}, Case{View::back, {true, -1, 1}, {false, 0, 0}},
        Case{View::right, {true, 0, 1}, {true, -1, -1}}, Case{View::left, {false, 0, 0}, {true, 1, -1}},
        Case{View::top, {true, 1, 0}, {true, 0, 1}}, Case{View::quarter, {true, 1, 1}, {true, -1, 0}}}) {
    SCOPED_TRACE(int(c.view));
    const Image image = render(mesh, mesh.positions, colors, {}, small(c.view));
    expect_side(image, reddish, c.x_box);
    expect_side(image, bluish, c.z_box);
  }
}

TEST(Render, FrameAroundFixesTheView) {
  const Mesh mesh = testing::triangle_mesh({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}});
  const std::vector<Vec3> wide{{-4, -4, 0}, {4, 4, 0}};
  const auto alone = drawn(render(mesh, mesh.positions, {}, {}, small(View::front)));
  const auto framed = drawn(render(mesh, mesh.positions, {}, {}, small(View::front), wide));
  EXPECT_NEAR(framed.right - framed.left, (alone.right - alone.left) / 4.0, 2);
  std::vector<Vec3> moved = mesh.positions;
  for (Vec3& p : moved) p.x += 2;
  const auto right = drawn(render(mesh, moved, {}, {}, small(View::front), wide));
  EXPECT_GT(right.left, framed.left + 15);
}

TEST(Render, PointsAreDrawnWithoutFaces) {
  Mesh cloud;
  cloud.positions = {{-1, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  const std::vector<Rgb> colors{red, blue, blue};
  const Image image = render(cloud, cloud.positions, colors, {}, small(View::front));
  const auto left = testing::find_pixels(image, [&](int x, int y) { return reddish(pixel(image, x, y)); });
  const auto right = testing::find_pixels(image, [&](int x, int y) { return bluish(pixel(image, x, y)); });
  EXPECT_GT(left.count, 2);
  EXPECT_LT(left.x, 0.3);
  EXPECT_GT(right.count, left.count);
  EXPECT_GT(right.x, 0.7);
}

TEST(Render, WireframeDarkensTheEdgesInSight) {
  const Mesh mesh = two_layers(0.2F);
  RenderOptions options = small(View::front);
  const Image plain = render(mesh, mesh.positions, {}, {}, options);
  options.wireframe = true;
  const Image wired = render(mesh, mesh.positions, {}, {}, options);
  const auto found = testing::changed(plain, wired);
  EXPECT_GT(found.count, 100);
  EXPECT_EQ(pixel(plain, 60, 60), pixel(wired, 60, 60));
  int darker = 0;
  for (std::size_t k = 0; k < plain.pixels.size(); ++k) darker += wired.pixels[k].g + 20 < plain.pixels[k].g ? 1 : 0;
  EXPECT_GT(darker, found.count / 2);
}

TEST(Render, WiresBehindTheSurfaceAreHidden) {
  // A small triangle behind a large one.
  const Mesh mesh = testing::triangle_mesh(
      {{-2, -1, 1}, {2, -1, 1}, {0, 3, 1}, {-0.4F, -0.2F, -1}, {0.4F, -0.2F, -1}, {0, 0.6F, -1}});
  RenderOptions options = small(View::front);
  const Image plain = render(mesh, mesh.positions, {}, {}, options);
  options.wireframe = true;
  const Image wired = render(mesh, mesh.positions, {}, {}, options);
  for (int y = 45; y < 78; ++y) EXPECT_EQ(pixel(plain, 60, y), pixel(wired, 60, y));
}

TEST(Render, BonesShowThroughTheSurface) {
  Mesh mesh;
  testing::add_box(mesh, {-1, -1, -1}, {1, 1, 1});
  const Rgb green{20, 200, 40};
  const auto greenish = [](const Image& image) {
    return testing::find_pixels(image, [&](int x, int y) {
      const Rgb p = pixel(image, x, y);
      return p.g > 2 * p.r && p.g > 2 * p.b && p.g > 60;
    });
  };
  const std::vector<BoneMark> bone{{{-0.5F, 0, 0}, {0.5F, 0, 0}, green}};
  const auto along = greenish(render(mesh, mesh.positions, {}, bone, small(View::front)));
  EXPECT_GT(along.count, 30);
  EXPECT_GT(along.right - along.left, 30);
  EXPECT_NEAR(along.y, 0.5, 0.02);
  const std::vector<BoneMark> dot{{{0, 0, 0}, {0, 0, 0}, green}};
  const auto round = greenish(render(mesh, mesh.positions, {}, dot, small(View::front)));
  EXPECT_GT(round.count, 4);
  EXPECT_EQ(round.right - round.left, round.bottom - round.top);
  EXPECT_NEAR(round.x, 0.5, 0.01);
}

TEST(Render, NearerBonesCoverFartherOnes) {
  const std::vector<BoneMark> bones{{{-1, 0, 1}, {1, 0, 1}, red}, {{-1, 0, -1}, {1, 0, -1}, blue}};
  EXPECT_PRED1(reddish, pixel(render({}, {}, {}, bones, small(View::front)), 60, 45));
  EXPECT_PRED1(bluish, pixel(render({}, {}, {}, bones, small(View::back)), 60, 45));
}

TEST(Render, GroundShadowIsDarkAndOnlyUnderTheMesh) {
  Mesh mesh;
  testing::add_box(mesh, {-1, 0, -1}, {1, 2, 1});
  const std::vector<Vec3> wide{{-4, 0, -4}, {4, 3, 4}};
  RenderOptions options = small(View::quarter);
  const Image plain = render(mesh, mesh.positions, {}, {}, options, wide);
  options.ground = true;
  const Image grounded = render(mesh, mesh.positions, {}, {}, options, wide);
  const auto shadow = testing::changed(plain, grounded);
  EXPECT_GT(shadow.count, 300);
  EXPECT_GT(shadow.y, 0.5);
  for (std::size_t k = 0; k < plain.pixels.size(); ++k) EXPECT_LE(grounded.pixels[k].g, plain.pixels[k].g);
  EXPECT_EQ(pixel(grounded, 0, 0), paper);
}

TEST(Render, CreasesAreDarkerThanOpenPlaces) {
  // A floor, finely divided, with a wall on its far left half.
  Mesh mesh = testing::grid_mesh(20, [](float column, float row) { return Vec3{column, 0, -row}; });
  testing::add_box(mesh, {-1, 0, -19}, {0.5F, 10, 0});
  const Image image = render(mesh, mesh.positions, {}, {}, small(View::top));
  const auto found = drawn(image);
  const int row = (found.top + found.bottom) / 2;
  const int width = found.right - found.left;
  EXPECT_LT(pixel(image, found.left + width / 5, row).g + 8, pixel(image, found.right - width / 8, row).g);
}

TEST(Render, TwiceTheSame) {
  const Mesh mesh = asymmetric();
  RenderOptions options = small(View::quarter);
  options.wireframe = options.ground = true;
  EXPECT_EQ(render(mesh, mesh.positions, {}, {}, options).pixels, render(mesh, mesh.positions, {}, {}, options).pixels);
}

TEST(Render, SurvivesExtremePlaces) {
  const float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  // Far outside of what the view is fitted to, behind the camera, huge, tiny, and all in one place.
  const Mesh mesh = two_layers(1);
  const std::vector<Vec3> tiny{{0, 0, 0}, {least, least, least}};
  RenderOptions options = small(View::quarter);
  options.width = options.height = 24;
  options.wireframe = options.ground = true;
  for (const float scale : {most, least, 0.0F}) {
    std::vector<Vec3> positions = mesh.positions;
    for (Vec3& p : positions) p = {p.x * scale, p.y * scale, p.z * scale};
    const Mesh cloud{positions, {}, {}, {}, {}, {}, {}};
    const std::vector<BoneMark> bones{{positions[0], positions[5], red}};
    EXPECT_NO_THROW(render(mesh, positions, {}, bones, options));
    EXPECT_NO_THROW(render(mesh, positions, {}, bones, options, tiny));
    EXPECT_NO_THROW(render(cloud, positions, {}, bones, options, tiny));
  }
}

TEST(Render, CutsWhatReachesBehindTheCamera) {
  // A floor that runs from far in front of the camera to far behind it, seen from just above.
  const Mesh floor = testing::triangle_mesh({{-500, -0.9F, 500},
                                             {500, -0.9F, 500},
                                             {500, -0.9F, -500},
                                             {-500, -0.9F, 500},
                                             {500, -0.9F, -500},
                                             {-500, -0.9F, -500}});
  const std::vector<Vec3> frame{{-1, -1, -1}, {1, 1, 1}};
  const Image image = render(floor, floor.positions, {}, {}, small(View::front), frame);
  for (int x = 0; x < image.width; ++x) {
    EXPECT_NE(pixel(image, x, 89), paper) << x;
    EXPECT_EQ(pixel(image, x, 0), paper) << x;
  }
}

ErrorCode code_of(const Mesh& mesh, std::span<const Vec3> positions, std::span<const Rgb> colors = {},
                  std::span<const BoneMark> bones = {}, const RenderOptions& options = small(View::front),
                  std::span<const Vec3> frame = {}) {
  try {
    render(mesh, positions, colors, bones, options, frame);
  } catch (const Error& error) {
    EXPECT_EQ(error.message().empty(), false);
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::stopped;
}

TEST(Render, RefusesWhatDoesNotFit) {
  const Mesh mesh = two_layers(1);
  const std::vector<Vec3> few(3, Vec3{0, 0, 0});
  const std::vector<Rgb> one{red};
  EXPECT_EQ(code_of(mesh, few), ErrorCode::bad_input);
  EXPECT_EQ(code_of(mesh, mesh.positions, one), ErrorCode::bad_input);
  Mesh broken = mesh;
  broken.face_vertices[0] = 77;
  EXPECT_EQ(code_of(broken, broken.positions), ErrorCode::bad_input);
}

TEST(Render, RefusesWhatIsNotFinite) {
  const Mesh mesh = two_layers(1);
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  std::vector<Vec3> bad = mesh.positions;
  bad[4].y = nan;
  EXPECT_EQ(code_of(mesh, bad), ErrorCode::bad_input);
  const std::vector<BoneMark> bones{{{0, 0, 0}, {0, infinity, 0}, red}};
  EXPECT_EQ(code_of(mesh, mesh.positions, {}, bones), ErrorCode::bad_input);
  const std::vector<Vec3> frame{{0, 0, nan}};
  EXPECT_EQ(code_of(mesh, mesh.positions, {}, {}, small(View::front), frame), ErrorCode::bad_input);
}

TEST(Render, RefusesSizesOutOfRange) {
  const Mesh mesh = two_layers(1);
  for (const auto& [width, height] : {std::pair{0, 10}, {10, 0}, {-1, 10}, {16385, 10}, {10, 16385}}) {
    RenderOptions options;
    options.width = width;
    options.height = height;
    EXPECT_EQ(code_of(mesh, mesh.positions, {}, {}, options), ErrorCode::bad_request);
  }
  RenderOptions one;
  one.width = one.height = 1;
  EXPECT_EQ(render(mesh, mesh.positions, {}, {}, one).pixels.size(), 1U);
  RenderOptions wide;
  wide.width = 16384;
  wide.height = 1;
  EXPECT_EQ(render(mesh, mesh.positions, {}, {}, wide).pixels.size(), 16384U);
}

}  // namespace
}  // namespace marrow
