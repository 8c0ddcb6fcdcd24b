"""SPEC.md, sections 21 and 22: learners. Their arithmetic, and the bytes of their states."""
import struct

import numpy as np

from . import models
from .functions import exp
from .numbers import F, bits, crc32, dot, float_of, fma, sum_of_squares

MAGIC = b"SSML"
CONSUMED = 1 << 31


def row_scores(weights, z):
    """§21.2: weights times features in the readout's order (one block), and the bias last."""
    return models.segment_scores(weights[:, :-1], [z]) + weights[:, -1]


class _Learner:
    kind = 0

    def __init__(self, features, outputs):
        self.n, self.k, self.samples, self.features_id = features, outputs, 0, 0
        self.consumed = False
        self.scratch = np.zeros(outputs, np.float32)
        self.weights = np.zeros((outputs, features + 1), np.float32)

    def _arrays(self):
        raise NotImplementedError

    def _fields(self):
        """§22.2: the words of the spec behind features and outputs that the digest is made of."""
        return []

    def digest(self):
        """§22.2."""
        words = [self.n, self.k, *self._fields()]
        return crc32(struct.pack("<%dI" % len(words), *(int(w) for w in words))) & ~CONSUMED or 1

    def state(self):
        """§22.1: the bytes of the state."""
        last = self.digest() | (CONSUMED if self.consumed else 0)
        head = MAGIC + struct.pack("<IIIIQI", self.kind, self.n, self.k, self.features_id, self.samples, last)
        arrays = [self.scratch] + self._arrays()
        return head + b"".join(np.asarray(a, dtype="<f4").tobytes() for a in arrays)

    def start(self, model, data):
        """§21.6: from a model's readout and its bytes. A weight is what the readout adds for a feature that is 1."""
        self.features_id = models.features_id(data)
        weights = F(0) + np.asarray(model.weights).astype(np.float32)
        weights = weights * model.scales[:, None] if model.type == "int8" else weights
        self.weights = np.concatenate([weights, model.bias[:, None]], axis=1).astype(np.float32)

    def _grown(self, rows, known):
        """§21.7: outputs that are new follow: weights 0, and the bias -1 / outputs, the old ones."""
        new = np.zeros((self.k - known, self.n + 1), np.float32)
        new[:, -1] = F(-1) / float_of(known)
        return np.concatenate([rows, new])

    def grow(self, outputs):
        """§21.7."""
        known, self.k = self.k, outputs
        self.weights = self._grown(self.weights, known)
        self.scratch = np.zeros(outputs, np.float32)

    def class_targets(self, label):
        """§21.2: the targets of a class: one-hot minus 1 / outputs; 1 or 0 of a single output."""
        if self.k == 1:
            return np.array([F(1) if label else F(0)], np.float32)
        return np.where(np.arange(self.k) == label, F(1), F(0)) - F(1) / float_of(self.k)


class Sgd(_Learner):
    """§21.3: stochastic gradient descent."""

    kind = 1
    LOSSES, STEPS = ("squared", "logistic", "hinge"), ("constant", "inverse_root", "adagrad", "normalised")

    def __init__(self, features, outputs=1, loss="squared", step="normalised", rate=0.1, ridge=0.0, average=False):
        super().__init__(features, outputs)
        self.loss, self.step, self.rate, self.ridge, self.average = loss, step, F(rate), F(ridge), average
        self.mean = np.zeros_like(self.weights)
        self.squares = np.zeros_like(self.weights)

    def _fields(self):
        return self.LOSSES.index(self.loss), self.STEPS.index(self.step), self.average

    def _arrays(self):
        means = [self.mean] if self.average else []
        return [self.weights] + means + ([self.squares] if self.step == "adagrad" else [])

    def start(self, model, data):
        super().start(model, data)
        self.mean = self.weights.copy()

    def scores(self, z):
        return row_scores(self.mean if self.average else self.weights, z)

    def grow(self, outputs):
        known = self.k
        super().grow(outputs)
        self.mean = self._grown(self.mean, known)
        self.squares = np.concatenate([self.squares, np.zeros((outputs - known, self.n + 1), np.float32)])

    def learn(self, z, targets, weight=1.0):
        self._step(z, row_scores(self.weights, z) - np.asarray(targets, np.float32), F(weight))

    def learn_class(self, z, label, weight=1.0):
        s = row_scores(self.weights, z)
        if self.loss == "logistic":
            errors = self._logistic(s, label)
        elif self.loss == "hinge":
            errors = self._hinge(s, label)
        else:
            errors = s - self._squared_targets(label)
        self._step(z, errors, F(weight))

    def _squared_targets(self, label):
        if self.k == 1:
            return self.class_targets(label)
        mean = F(1) / float_of(self.k)
        return np.where(np.arange(self.k) == label, F(1) - mean, -mean)

    def _logistic(self, s, label):
        if self.k == 1:
            positive = s > 0
            e = exp(np.where(positive, -s, s))
            p = np.where(positive, F(1), e) / (F(1) + e)
            return p - (F(1) if label else F(0))
        return models.probabilities(s, 1) - np.where(np.arange(self.k) == label, F(1), F(0))

    def _hinge(self, s, label):
        if self.k == 1:
            sign = F(1) if label else F(-1)
            return np.where(sign * s < F(1), -sign, F(0))
        rival = max((o for o in range(self.k) if o != label), key=lambda o: (s[o], -o))
        errors = np.zeros(self.k, np.float32)
        if s[label] - s[rival] < F(1):
            errors[label], errors[rival] = -1, 1
        return errors

    def _step(self, z, errors, weight):
        z = np.asarray(z, np.float32)
        self.samples += 1
        t = float_of(self.samples)
        rate = self.rate / np.sqrt(t) if self.step == "inverse_root" else self.rate
        if self.step == "normalised":
            most, share = max(rate, F(1)), rate * weight
            rate = min(share, most) / ((sum_of_squares(z) + F(1)) + self.ridge)
        else:
            errors = errors * weight
        self.scratch = np.asarray(errors, np.float32)
        for o in range(self.k):
            w, error = self.weights[o], self.scratch[o]
            if self.step == "adagrad":
                one = np.concatenate([z, [F(1)]]).astype(np.float32)
                ridge = np.concatenate([np.full(self.n, self.ridge), [F(0)]]).astype(np.float32)
                g = fma(ridge, w, error * one)
                self.squares[o] = fma(g, g, self.squares[o])
                self.weights[o] = w - rate * g / (np.sqrt(self.squares[o]) + F(2.0**-20))
            else:
                w[:-1] = fma(-rate * error, z, (F(1) - rate * self.ridge) * w[:-1])
                w[-1] = w[-1] - rate * error
        if self.average:
            of = min(t, F(65536))
            self.mean = fma(F(1) / of, self.weights, (of - F(1)) / of * self.mean)


class Rls(_Learner):
    """§21.4: recursive least squares by Bierman's update of U D U', of all features or of blocks of them."""

    kind = 2

    def __init__(self, features, outputs=1, forget=1.0, prior=1.0, block=0):
        super().__init__(features, outputs)
        size = features + 1
        self.forget, self.prior, self.most, self.block = F(forget), F(prior), F(1) / F(prior), block
        self.firsts = range(0, size, block or size)
        self.columns = [np.zeros(j - first, np.float32) for first, last in self._blocks() for j in range(first, last)]
        self.diagonal = np.full(size, self.most, np.float32)
        self.gain, self.seen = np.zeros(size, np.float32), np.zeros(size, np.float32)

    def _blocks(self):
        size = self.n + 1
        return [(first, min(first + (self.block or size), size)) for first in self.firsts]

    def _fields(self):
        return [bits(self.forget), bits(self.prior)] + ([self.block] if self.block else [])

    def _arrays(self):
        return [self.weights, *self.columns, self.diagonal] + ([] if self.block else [self.gain, self.seen])

    def scores(self, z):
        return row_scores(self.weights, z)

    def learn_class(self, z, label, weight=1.0):
        self.learn(z, self.class_targets(label), weight)

    def learn(self, z, targets, weight=1.0):
        targets = np.asarray(targets, np.float32)
        one = np.concatenate([np.asarray(z, np.float32), [F(1)]]).astype(np.float32)
        noise = F(1) / F(weight)
        forgotten = np.minimum(self.diagonal / self.forget, self.most)
        alpha = noise
        for first, last in self._blocks():
            for j in range(first, last):
                self.seen[j] = one[j] + (dot(self.columns[j], one[first:j]) if j > first else F(0))
                alpha = alpha + self.seen[j] * (forgotten[j] * self.seen[j])
        if self.block:
            alpha = alpha + (np.sqrt(float_of(len(self.firsts))) - F(1)) * noise * ((alpha - noise) / alpha)
        errors = [targets[o] - row_scores(self.weights[o : o + 1], one[:-1])[0] for o in range(self.k)]
        self.scratch = np.array(errors, np.float32) if self.block else targets
        for first, last in self._blocks():
            own = self._revise(first, last, forgotten, noise)
        for o in range(self.k):
            self.weights[o] = fma(errors[o] / (alpha if self.block else own), self.gain, self.weights[o])
        self.samples += 1

    def _revise(self, first, last, forgotten, alpha):
        for j in range(first, last):
            f = self.seen[j]
            v = forgotten[j] * f
            following = fma(f, v, alpha)
            self.diagonal[j] = forgotten[j] * (alpha / following)
            u, gain = self.columns[j], self.gain[first:j].copy()
            self.gain[first:j] = fma(u, v, gain)
            self.columns[j] = fma(-f / alpha, gain, u).reshape(j - first)
            self.gain[j] = v
            alpha = following
        return alpha


class Gram(_Learner):
    """§21.5: sums for a ridge solve."""

    kind = 3

    def __init__(self, features, outputs=1):
        super().__init__(features, outputs)
        self.rows = [np.zeros(i + 1, np.float32) for i in range(features + 1)]

    def _arrays(self):
        return [self.weights, *self.rows]

    def scores(self, z):
        return row_scores(self.weights, z)

    def add_class(self, z, label, weight=1.0):
        self.add(z, self.class_targets(label), weight)

    def add(self, z, targets, weight=1.0):
        z, weight = np.asarray(z, np.float32), F(weight)
        self.scratch = np.asarray(targets, np.float32)
        for i in range(self.n):
            self.rows[i] = fma(weight * z[i], z[: i + 1], self.rows[i])
        last = self.rows[self.n]
        last[:-1] = fma(weight, z, last[:-1])
        last[-1] = last[-1] + weight
        for o, y in enumerate(self.scratch):
            self.weights[o, :-1] = fma(weight * y, z, self.weights[o, :-1])
            self.weights[o, -1] = self.weights[o, -1] + weight * y
        self.samples += 1

    def grow(self, outputs):
        """§21.7: each target of one-hot minus 1 / outputs was too low by the difference."""
        known = self.k
        super().grow(outputs)
        self.weights[known:] = 0
        one, was, now = F(1), float_of(known), float_of(outputs)
        for o in range(outputs):
            more = one / was - one / now if o < known else -one / now
            self.weights[o] = fma(more, self.rows[self.n], self.weights[o])

    def merge(self, other):
        self.weights = self.weights + other.weights
        self.rows = [a + b for a, b in zip(self.rows, other.rows)]
        self.samples += other.samples

    def solve(self, ridge):
        """Cholesky in place, then the weights; False if the sums are not positive definite."""
        size = self.n + 1
        self.consumed = True
        added = F(ridge) * self.rows[self.n][-1]
        for i in range(size):
            row = self.rows[i]
            for j in range(i):
                above = self.rows[j]
                row[j] = (row[j] - (dot(row[:j], above[:j]) if j else F(0))) / above[j]
            squares = sum_of_squares(row[:i]) if i else F(0)
            left = row[i] + (added if i + 1 < size else F(0)) - squares
            if not 0 < left < 2.0**120:
                return False
            row[i] = np.sqrt(left)
        for w in self.weights:
            for i in range(size):
                row = self.rows[i]
                w[i] = (w[i] - (dot(row[:i], w[:i]) if i else F(0))) / row[i]
            for i in reversed(range(size)):
                row = self.rows[i]
                w[i] = w[i] / row[i]
                w[:i] = fma(-w[i], row[:i], w[:i])
        return True


class Drift:
    """§21.8: the running mean and spread of a number against those of training."""

    def __init__(self, mean, spread, window):
        self.of_mean, self.of_spread, self.window = F(mean), F(spread), F(window)
        self.mean, self.square = F(0), F(1)

    def watch(self, value):
        away = np.clip((F(value) - self.of_mean) / self.of_spread, F(-8), F(8))
        from_mean = away - self.mean
        self.mean = self.mean + from_mean / self.window
        self.square = self.square + (from_mean * (away - self.mean) - self.square) / self.window

    def shift(self):
        return self.mean * np.sqrt(F(2) * self.window - F(1))

    def spread(self):
        return np.sqrt(self.square)
