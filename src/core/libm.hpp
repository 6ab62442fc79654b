#pragma once

/// The functions of <cmath> that IEEE 754 does not fix, and that differ between C libraries and between processors.
/// These give the same bits everywhere, within 1 unit in the last place. Special values are those of C.
namespace marrow::libm {

double exp(double x);
double log(double x);
/// x >= 0; NaN for a negative x, also with a whole y.
double pow(double x, double y);

double sin(double x);
double cos(double x);
double tan(double x);
double acos(double x);
double atan2(double y, double x);

double cbrt(double x);
double hypot(double x, double y, double z = 0);

}  // namespace marrow::libm
