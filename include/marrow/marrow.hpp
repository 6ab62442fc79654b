#pragma once

/// Everything the library offers.
#include "marrow/decompose.hpp"
#include "marrow/deform.hpp"
#include "marrow/diagnose.hpp"
#include "marrow/error.hpp"
#include "marrow/io.hpp"
#include "marrow/math.hpp"
#include "marrow/mesh.hpp"
#include "marrow/metrics.hpp"
#include "marrow/render.hpp"
#include "marrow/report.hpp"
#include "marrow/rig.hpp"
#include "marrow/run.hpp"
#include "marrow/sequence.hpp"
#include "marrow/synthetic.hpp"
#include "marrow/timeline.hpp"
#include "marrow/version.hpp"
