"""SPEC.md, section 8: exact kernels, in binary64 from basic operations. Numbers here are Python's floats."""
import math
import struct

PI = math.pi


def _doubles(x):
    return [float(v) for v in x]


def root(x):
    """§8.1, root."""
    if not x > 0:
        return 0.0
    pattern = struct.unpack("<Q", struct.pack("<d", x))[0]
    r = struct.unpack("<d", struct.pack("<Q", (pattern >> 1) + 0x1FF8000000000000))[0]
    for _ in range(5):
        r = 0.5 * (r + x / r)
    return r


def exp(x):
    """§8.1, exp, x <= 0."""
    if not x >= -700:
        return 0.0
    n = float(math.trunc(x * 1.4426950408889634 - 0.5))
    r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10
    s = 1.0
    for k in range(15, 0, -1):
        s = 1 + s * r / k
    return math.ldexp(s, int(n))


def angle(y, x):
    """§8.1, angle: of the point (x, y), both not negative."""
    if y == 0:
        return 0.0
    t = x / y if y > x else y / x
    for _ in range(3):
        t = t / (1 + root(1 + t * t))
    u, s = t * t, 0.0
    for k in range(21, 0, -2):
        s = 1.0 / k - u * s
    a = 8 * t * s
    return PI / 2 - a if y > x else a


def sine_cosine(a):
    """§8.1, sin_cos."""
    b = a / 4
    u = b * b
    s, v = 1.0, 1.0
    for k in range(17, 2, -2):
        s = 1 - s * u / (k * (k - 1))
    for k in range(18, 3, -2):
        v = 1 - v * u / (k * (k - 1))
    sine, versed = s * b, v * u / 2
    for _ in range(2):
        sine, versed = 2 * sine * (1 - versed), 2 * sine * sine
    return sine, 1 - versed


def gaussian(x, y, bandwidth):
    """§8.2, gaussian."""
    total = 0.0
    for a, b in zip(_doubles(x), _doubles(y)):
        d = (a - b) / bandwidth
        total = total + d * d
    return exp(-0.5 * total)


def laplacian(x, y, bandwidth):
    """§8.2, laplacian."""
    total = 0.0
    for a, b in zip(_doubles(x), _doubles(y)):
        total = total + abs(a - b)
    return exp(-(total / bandwidth))


def cauchy(x, y, bandwidth):
    """§8.2, cauchy."""
    p = 1.0
    for a, b in zip(_doubles(x), _doubles(y)):
        d = (a - b) / bandwidth
        p = p / (1 + d * d)
    return p


def _length(x):
    total = 0.0
    for a in x:
        total = total + a * a
    return root(total)


def _near(x, y, x_length, y_length):
    """§8.3, sine_between: the sine of a small angle, from differences that do not cancel."""
    j = max(range(len(x)), key=lambda i: abs(x[i]))
    e = [(x[j] * y[i] - x[i] * y[j]) / x[j] for i in range(len(x))]
    t = 0.0
    for a, b in zip(e, x):
        t = t + a * (b / x_length)
    total = 0.0
    for a, b in zip(e, x):
        d = a - t * (b / x_length)
        total = total + d * d
    return root(total) / y_length


def angles(x, y, x_length, y_length):
    """§8.3, angle_between: the angle a between x and y, and s = pi - a."""
    minus, plus = 0.0, 0.0
    for a, b in zip(x, y):
        u, v = a / x_length, b / y_length
        minus = minus + (u - v) * (u - v)
        plus = plus + (u + v) * (u + v)
    m, p = root(minus), root(plus)
    if m >= 2.0**-10 and p >= 2.0**-10:
        return 2 * angle(m, p), 2 * angle(p, m)
    w = 0.5 * (_near(x, y, x_length, y_length) + _near(y, x, y_length, x_length))
    b = angle(w, root(1 - w * w))
    return (b, PI - b) if m < p else (PI - b, b)


def arc(a, s):
    """§8.3, arc: sin a + s cos a."""
    if s < 0.5:
        u, h = s * s, 0.0
        t = s * u / 6
        for k in range(1, 9):
            h = h + 2 * k * t
            t = t * (-u / ((2 * k + 2) * (2 * k + 3)))
        return h
    if a <= s:
        sine, cosine = sine_cosine(a)
        return sine + s * cosine
    sine, cosine = sine_cosine(s)
    return sine - s * cosine


def _pair(x, y):
    """The lengths of both and the angles between them; None if a length is 0."""
    x, y = _doubles(x), _doubles(y)
    x_length, y_length = _length(x), _length(y)
    if x_length == 0 or y_length == 0:
        return None
    return (x_length, y_length, *angles(x, y, x_length, y_length))


def arccos(x, y, order):
    """§8.4, arc-cosine kernels of order 0 and 1."""
    pair = _pair(x, y)
    if pair is None:
        return 0.0
    x_length, y_length, a, s = pair
    return s / PI if order == 0 else x_length * y_length * arc(a, s) / PI


def _cosine(a, s):
    return sine_cosine(a)[1] if a <= s else -sine_cosine(s)[1]


def _layers(a, s, depth, tangent):
    S = K = _cosine(a, s)
    for _ in range(depth):
        S = arc(a, s) / PI
        K = K * (s / PI) + S
        b = sine_cosine(a / 2)[0]
        v = 2 * b * b - arc(s, a) / PI
        m, p = root(v), root(2 - v)
        a, s = 2 * angle(m, p), 2 * angle(p, m)
    return K if tangent else S


def network(x, y, depth, tangent):
    """§8.5: NNGP, or NTK if `tangent`."""
    pair = _pair(x, y)
    if pair is None:
        return 0.0
    x_length, y_length, a, s = pair
    return x_length * y_length * _layers(a, s, depth, tangent)


def network_of_cosine(c, depth, tangent):
    """§8.5: the same over the lengths, of a cosine."""
    c = min(max(c, -1.0), 1.0)
    m, p = root(1 - c), root(1 + c)
    return _layers(2 * angle(m, p), 2 * angle(p, m), depth, tangent)


def taylor_coefficients(order, relu):
    """§8.6: c_0 ... c_order of P (relu) or Q, those of the powers 2 i + 2 or 2 i + 1."""
    t, found = 1.0, []
    for i in range(order + 1):
        found.append(t / (PI * (2 * i + 1) * (2 * i + 2)) if relu else t / (PI * (2 * i + 1)))
        t = t * ((2 * i + 1) / (2 * i + 2))
    return found


def _taylor(a, order, relu, fix_diagonal):
    value = 1 / PI + a / 2 if relu else 0.5
    mass = 1 / PI + 0.5 if relu else 0.5
    w = a * a if relu else a
    for i, c in enumerate(taylor_coefficients(order, relu)):
        value = value + c * w
        mass = mass + c
        if i < order:
            w = w * (a * a)
    return value + (1 - mass) * w if fix_diagonal else value


def network_taylor(x, y, depth, relu_order, step_order, fix_diagonal):
    """§8.6, NTK by Taylor series."""
    pair = _pair(x, y)
    if pair is None:
        return 0.0
    x_length, y_length, a, s = pair
    cosine = _cosine(a, s)
    return x_length * y_length * _taylor_layers(cosine, depth, relu_order, step_order, fix_diagonal)


def _taylor_layers(cosine, depth, relu_order, step_order, fix_diagonal):
    S = K = cosine
    for _ in range(depth):
        q = _taylor(S, step_order, False, fix_diagonal)
        S = _taylor(S, relu_order, True, fix_diagonal)
        K = K * q + S
    return K


def network_taylor_of_cosine(c, depth, relu_order, step_order, fix_diagonal):
    """§8.6, NTK by Taylor series: the same over the lengths, of a cosine."""
    return _taylor_layers(min(max(c, -1.0), 1.0), depth, relu_order, step_order, fix_diagonal)


def polynomial(x, y, degree, scale, offset):
    """§8.7: the polynomial kernel."""
    s = 0.0
    for a, b in zip(_doubles(x), _doubles(y)):
        s = s + a * b
    base, value = float(scale) * s + float(offset), 1.0
    for _ in range(degree):
        value = value * base
    return value


def power_series(x, y, coefficients):
    """§8.7: a power series of the inner product."""
    s = 0.0
    for a, b in zip(_doubles(x), _doubles(y)):
        s = s + a * b
    value = 0.0
    for c in reversed(_doubles(coefficients)):
        value = value * s + c
    return value
