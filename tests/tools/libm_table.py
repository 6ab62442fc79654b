#!/usr/bin/env python3
"""Writes tests/data/libm.csv: values of elementary functions, from mpmath with 1500 bits.

A line is `function,x,y,value,rest`: the exact value is `value` (the nearest double) plus `rest` units in its last place.
Numbers are hexadecimal; y is empty for functions of one argument.
"""
import math
import pathlib
import random

from mpmath import mp, mpf

mp.prec = 1500
LARGEST = mpf(2) ** 1024
random.seed(1)


def uniform(low, high, count=12):
    return [random.uniform(low, high) for _ in range(count)]


def sizes(low, high, count=12, signs=(1, -1)):
    """Numbers of all sizes from 2^low to 2^high."""
    return [random.choice(signs) * math.ldexp(random.uniform(1, 2), random.randint(low, high)) for _ in range(count)]


def near(points, steps=(-2, -1, 0, 1, 2)):
    """Doubles beside each of the points."""
    out = []
    for point in points:
        x = float(point)
        out += [x + k * math.ulp(x) for k in steps]
    return out


QUADRANTS = near([mp.pi / 2 * k for k in (1, 2, 3, 4, 5, 11, 100, 12345, 1048576)])
# Muller, "Elementary Functions": the double nearest to a multiple of pi / 2 of all.
CLOSEST = [math.ldexp(6381956970095103, 797), -math.ldexp(6381956970095103, 797)]
ANGLES = (uniform(-0.8, 0.8) + uniform(-10, 10) + uniform(1e3, 1e9) + sizes(-1074, 1023, 40) + QUADRANTS + CLOSEST
          + near([math.pi / 4, 2.0 ** -27]) + [math.ldexp(1, 1023), 5e-324, 1.7976931348623157e308])
ONE = [1 + s * math.ldexp(random.uniform(1, 2), e) for e in range(-52, -4, 4) for s in (1, -1)]
POSITIVE = sizes(-1074, 1023, 30, (1,)) + [5e-324, 2.0 ** -1022, 1.7976931348623157e308]
STEPS = near([(45 + k) / 64 + 1 / 128 for k in range(0, 46, 5)], (-1, 0, 1))

ARGUMENTS = {
    "exp": uniform(-1, 1) + uniform(-745, 709) + uniform(-745.13, -708, 20) + sizes(-80, -2)
           + near([709.782712893384, -708.3964185322641, -745.1332191019411], (-3, -1, 0))
           + near([mp.log(2) * (k + mpf(1) / 2) / 32 for k in (-33, -1, 0, 1, 17)]),
    "log": uniform(0.5, 2) + ONE + STEPS + POSITIVE,
    "sin": ANGLES, "cos": ANGLES, "tan": ANGLES,
    "acos": uniform(-1, 1, 30) + [x for x in ONE if abs(x) <= 1] + [-x for x in ONE if abs(x) < 1] + sizes(-1074, -2)
            + [math.sqrt(0.5)],
    "cbrt": sizes(-1074, 1023, 40) + near([1, 8, 27, 0.125, 1e-300], (-1, 0, 1)) + [5e-324, 1.7976931348623157e308],
}
TWO = list(zip(uniform(-1, 1, 30), uniform(-1, 1, 30))) + list(zip(sizes(-1074, 1023, 40), sizes(-1074, 1023, 40)))
ALIKE = [(x, x * random.uniform(0.1, 10)) for x in sizes(-1060, 1015, 30)]
PAIRS = {
    "atan2": TWO + ALIKE + list(zip(sizes(-30, 30, 30), sizes(-30, 30, 30))) + [(1e-300, -1e300), (3.0, 3.0), (-3.0, 3.0)],
    "hypot": TWO + ALIKE + [(3.0, 4.0), (5e-324, 5e-324), (1e-200, 1e-200), (1.2e308, 1.2e308)],
    "pow": (list(zip(uniform(0, 1, 20), uniform(-3, 3, 20))) + list(zip(uniform(0, 10, 20), uniform(-300, 300, 20)))
            + list(zip(sizes(-1074, 1023, 20, (1,)), uniform(-1, 1, 20)))
            + [(x, -random.uniform(1022, 1074) / math.log2(x)) for x in sizes(-9, 9, 10, (1,))]  # denormal
            + [(x, random.uniform(-700, 700) / math.log(x)) for x in ONE]
            + [(x, e) for x in (0.02, 0.5, 0.9) for e in (2.4, 1 / 2.4, 0.25)]),
}
EXACT = {
    "exp": mp.exp, "log": mp.log, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "acos": mp.acos, "atan2": mp.atan2,
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "hypot": mp.hypot, "pow": mp.power,
}


def nearest(exact):
    """The nearest double, which float() misses among denormal ones."""
    if abs(exact) >= mpf(2) ** -1021:
        return float(exact)
    return math.ldexp(int(mp.nint(exact * mpf(2) ** 1074)), -1074)


def rows():
    for name, exact in EXACT.items():
        arguments = PAIRS[name] if name in PAIRS else [(x,) for x in ARGUMENTS[name]]
        for given in arguments:
            value = exact(*(mpf(x) for x in given))
            if abs(value) >= LARGEST * (1 - mpf(2) ** -54):
                continue
            double = nearest(value)
            rest = float((value - mpf(double)) / mpf(math.ulp(double)))
            texts = [x.hex() for x in given] + [""] * (2 - len(given))
            yield f"{name},{','.join(texts)},{double.hex()},{rest:.4f}"


def main():
    path = pathlib.Path(__file__).resolve().parents[1] / "data/libm.csv"
    lines = list(rows())
    path.write_text("# Written by tests/tools/libm_table.py.\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} lines")


if __name__ == "__main__":
    main()
