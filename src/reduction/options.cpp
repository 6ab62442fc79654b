#include "core/option_fields.hpp"
#include "marrow/reduce.hpp"

namespace marrow {

const EnumNames<ReduceMethod>& reduce_method_names() {
  static const EnumNames<ReduceMethod> names = {
      {ReduceMethod::best_fit, "best-fit",
       "the bones and weights with the least error in the poses; any bone may come in"},
      {ReduceMethod::klargest, "klargest", "the largest weights of each vertex"},
      {ReduceMethod::smooth, "smooth", "those bones; the Laplacian of the weights stays"},
      {ReduceMethod::geometry, "geometry", "bones chosen greedily, with the best weights for the poses"},
      {ReduceMethod::poisson, "poisson", "the largest weights' bones; the Laplacian of the posed mesh stays"}};
  return names;
}

std::vector<Option> option_table(ReduceOptions& options) {
  using O = ReduceOptions;
  const OptionFields<O> field(options);
  return {
      field("influences", &O::influences, {.help = "Bones per vertex, at most", .least = 1}),
      field("method", &O::method, reduce_method_names(),
            {.help = "How weights become few; klargest or smooth for an NPY"}),
      field("sample", &O::sample,
            {.help = "Random poses to look at instead of the clips",
             .zero = "the clips, or 100 poses where there are none"}),
  };
}

}  // namespace marrow
