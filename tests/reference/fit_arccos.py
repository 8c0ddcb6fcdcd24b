#!/usr/bin/env python3
"""The polynomials of series=fitted of the map cntk (SPEC.md, section 28.3), printed as in src/map/cntk/sketch.cpp.

k1(a) - a/2 is even and k0(a) - 1/2 odd. Each is fitted with coefficients >= 0 by least squares, at points of [-1, 1] whose
angles are equally dense, with a weight at 1 that makes the sum of the coefficients 1/2. Needs scipy; no test runs it.
"""
import numpy as np
from scipy.optimize import nnls

POINTS, WEIGHT, ORDERS = 4000, 1e4, 8


def main():
    a = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    angle = np.arccos(a)
    relu = (np.sin(angle) + (np.pi - angle) * a) / np.pi - a / 2
    step = 0.5 - angle / np.pi
    for name, values, first in ("relu", relu, 0), ("step", step, 1):
        for p in range(ORDERS):
            powers = np.arange(first, 2 * p + (2 if first else 3), 2)
            rows = np.vstack([a[:, None] ** powers, np.full((1, len(powers)), WEIGHT)])
            c, _ = nnls(rows, np.append(values, 0.5 * WEIGHT), maxiter=10000)
            c /= 2 * c.sum()
            error = np.abs(a[:, None] ** powers @ c - values).max()
            print(name, p, ", ".join(f"{np.float32(v):.9g}" for v in c), f"largest error {error:.4f}")


if __name__ == "__main__":
    main()
