"""What tests/bench/rivals.py compares samara with: forests, int8 networks, logistic regression and kernel machines.

Each `fit_...` takes a Split and a seed and gives a Fitted: what it says of the test rows as it would run on a board, and how
much its parameters take. What is chosen (weight decay, C, gamma) is chosen on training rows, on groups that are left out
where there are groups. Networks and logistic regression are quantised, and it is the quantised ones that predict.
"""

import dataclasses
import functools

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

MOST_ROWS_TO_CHOOSE = 3000
DECAYS = (0.01, 0.1, 0.4)
SMOOTHINGS = (0.02, 0.1)


@dataclasses.dataclass(eq=False)
class Split:
    """Training and test rows; x is uint8 or int16, as sensors give it."""

    x: np.ndarray
    y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    groups: np.ndarray | None
    scale: str  # global: one scale for all inputs; standardise: one for each
    classes: int


@dataclasses.dataclass
class Fitted:
    predicted: np.ndarray
    parameters: int  # bytes
    model: object = None  # what rival_images.py writes as C
    notes: dict = dataclasses.field(default_factory=dict)


# ---- The inputs of whole numbers.


class Codes:
    """int8 codes of a row's inputs: bytes less 128; of int16 (x * factor + offset) >> 15, kept within -127..127."""

    def __init__(self, split):
        x = split.x.astype(np.float64)
        self.bytes = split.x.dtype == np.uint8
        if self.bytes:
            return
        if split.scale == "global":
            low, high = np.quantile(x, [0.0005, 0.9995], keepdims=True)
            centre, factor = (low + high).ravel() / 2, 254 / np.maximum(high - low, 256).ravel()
        else:
            centre, factor = x.mean(0), 127 / (5 * np.maximum(x.std(0), 30))  # five deviations to either side
        self.factor = np.rint(factor * 2**15).astype(np.int32)
        self.offset = np.rint(2**14 - centre * self.factor).astype(np.int64)
        if (np.abs(self.offset) + 2**15 * np.abs(self.factor).astype(np.int64)).max() >= 2**31:
            raise ValueError("the codes do not fit into 32 bits")

    def of(self, x):
        if self.bytes:
            return x.astype(np.int32) - 128
        return np.clip((x.astype(np.int32) * self.factor + self.offset) >> 15, -127, 127).astype(np.int32)

    def size(self):
        return 0 if self.bytes else 8 * len(self.factor)


# ---- Networks of one hidden layer, or none, trained in float and run in int8.


def forward(x, layers):
    hidden = x
    for w, b in layers[:-1]:
        hidden = np.maximum(hidden @ w + b, 0)
    return hidden, hidden @ layers[-1][0] + layers[-1][1]


def train_network(x, y, classes, hidden, decay, smoothing, seed):
    """AdamW with a cosine schedule and a short warm-up; He's initial weights; cross-entropy with smoothed labels."""
    rng = np.random.default_rng(seed)
    sizes = [x.shape[1], hidden, classes]
    layers = [(rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32))
              for a, b in zip(sizes, sizes[1:])]
    values = [v for layer in layers for v in layer]
    first, second = ([np.zeros_like(v) for v in values] for _ in range(2))
    batch = 64
    steps = int(np.clip(150 * len(x) / batch, 5000, 15000))
    targets = np.full((len(x), classes), smoothing / classes, np.float32)
    targets[np.arange(len(x)), y] += 1 - smoothing
    order, at = rng.permutation(len(x)), 0
    for step in range(1, steps + 1):
        if at + batch > len(x):
            order, at = rng.permutation(len(x)), 0
        rows, at = order[at : at + batch], at + batch
        inputs = x[rows]
        h = np.maximum(inputs @ values[0] + values[1], 0)
        logits = h @ values[2] + values[3]
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        d = (p - targets[rows]) / len(rows)
        back = (d @ values[2].T) * (h > 0)
        gradients = [inputs.T @ back, back.sum(0), h.T @ d, d.sum(0)]
        rate = 0.01 * min(1.0, step / (0.05 * steps)) * 0.5 * (1 + np.cos(np.pi * step / steps))
        for i, (v, g) in enumerate(zip(values, gradients)):
            first[i] += 0.1 * (g - first[i])
            second[i] += 0.001 * (g * g - second[i])
            if v.ndim == 2:
                v *= 1 - rate * decay
            v -= rate / (1 - 0.9**step) * first[i] / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
    return [(values[0], values[1]), (values[2], values[3])]


class WholeNetwork:
    """int8 weights with one scale a layer, int32 biases and sums; hidden values are uint8, by a multiplication and two shifts."""

    def __init__(self, codes, x, layers, unit, centre):
        """`layers` take (codes - centre) * unit; what that adds goes into the first layer's weights and biases."""
        self.codes, self.layers = codes, []
        last = len(layers) - 1
        scale_in = 1.0
        whole = codes.of(x)
        for i, (w, b) in enumerate(layers):
            w, b = w.astype(np.float64), b.astype(np.float64)
            if i == 0:
                w = w * unit[:, None]
                b = b - centre @ w
            step = np.abs(w).max() / 127
            weights = np.rint(w / step).astype(np.int32)
            bias = np.rint(b / (step * scale_in)).astype(np.int64)
            if i == 0:
                # What rounding of the weights does to the mean input is put right by the bias.
                bias = bias + np.rint((w / step - weights).T @ whole.mean(0)).astype(np.int64)
            if np.abs(bias).max() + 127 * 255 * len(w) >= 2**31:
                raise ValueError("the sums do not fit into 32 bits")
            bias = bias.astype(np.int32)
            if i == last:
                self.layers.append((weights, bias, 0, 0, 0))
                break
            sums = np.maximum(whole @ weights + bias, 0)
            top = max(np.quantile(sums, 0.9998), 1.0)
            # sums * 255 / top as ((sum >> before) * multiplier) >> 15, all within 31 bits.
            before = max(0, int(np.abs(sums).max()).bit_length() + 1 - 16)
            multiplier = int(np.rint(255 / top * 2.0 ** (before + 15)))
            after = 15
            while multiplier >= 2**15:
                multiplier, after = multiplier >> 1, after - 1
            self.layers.append((weights, bias, before, multiplier, after))
            scale_in = step * scale_in * 2.0 ** (before + after) / multiplier
            whole = self.rectified(sums, *self.layers[-1][2:])

    @staticmethod
    def rectified(sums, before, multiplier, after):
        sums = np.minimum(np.maximum(sums, 0) >> before, 65535)
        return np.minimum((sums * multiplier) >> after, 255)

    def predict(self, x):
        whole = self.codes.of(x)
        for weights, bias, *rest in self.layers[:-1]:
            whole = self.rectified(whole @ weights + bias, *rest)
        return (whole @ self.layers[-1][0] + self.layers[-1][1]).argmax(1)

    def size(self):
        return self.codes.size() + sum(w.size + 4 * b.size for w, b, *_ in self.layers) + 12 * (len(self.layers) - 1)


def left_out(split, seed):
    """Rows to train on and rows to judge by, of the training rows."""
    if split.groups is None:
        if np.bincount(split.y)[np.unique(split.y)].min() < 2:
            rows = np.random.default_rng(seed).permutation(len(split.y))
            return rows[len(rows) // 4 :], rows[: len(rows) // 4]
        return next(StratifiedShuffleSplit(1, test_size=0.25, random_state=seed).split(split.x, split.y))
    return next(GroupShuffleSplit(1, test_size=0.25, random_state=seed).split(split.x, split.y, split.groups))


def network_inputs(split, codes):
    """Standardised codes: the network is trained on just what the board has."""
    whole = codes.of(split.x)
    centre = whole.mean(0)
    deviation = whole.std(0) if split.scale == "standardise" else np.full(whole.shape[1], whole.std())
    unit = 1 / np.where(deviation > 0, deviation, 1)
    return ((whole - centre) * unit).astype(np.float32), unit, centre


@functools.cache
def chosen_training(split, hidden):
    """Weight decay and smoothing of labels, by the rows that are left out: once for a split."""
    x, _, _ = network_inputs(split, Codes(split))
    keep, judge = left_out(split, 0)
    scored = []
    for decay in DECAYS:
        for smoothing in SMOOTHINGS:
            layers = train_network(x[keep], split.y[keep], split.classes, hidden, decay, smoothing, 0)
            scored.append((np.mean(forward(x[judge], layers)[1].argmax(1) == split.y[judge]), decay, smoothing))
    return max(scored)[1:]


def fit_network(split, seed, hidden):
    codes = Codes(split)
    x, unit, centre = network_inputs(split, codes)
    decay, smoothing = chosen_training(split, hidden)
    layers = train_network(x, split.y, split.classes, hidden, decay, smoothing, seed)
    whole = WholeNetwork(codes, split.x, layers, unit, centre)
    test = ((codes.of(split.test_x) - centre) * unit).astype(np.float32)
    in_float = np.mean(forward(test, layers)[1].argmax(1) == split.test_y)
    return Fitted(whole.predict(split.test_x), whole.size(), whole,
                  {"accuracy in float": 100 * float(in_float), "weight decay": decay, "label smoothing": smoothing})


def chooser(split, model, grid):
    """The best of a grid by three folds of (at most MOST_ROWS_TO_CHOOSE) training rows."""
    rows = np.random.default_rng(0).permutation(len(split.y))[:MOST_ROWS_TO_CHOOSE]
    folds = GroupKFold(3) if split.groups is not None else StratifiedKFold(3)
    search = GridSearchCV(model, grid, cv=folds, refit=False)
    search.fit(split.x[rows].astype(np.float64), split.y[rows], groups=None if split.groups is None else split.groups[rows])
    return model.set_params(**search.best_params_), search.best_params_


def fit_logistic(split, seed):
    del seed  # nothing is random
    codes = Codes(split)
    x, unit, centre = network_inputs(split, codes)
    scaled = dataclasses.replace(split, x=x)
    model, chosen = chooser(scaled, LogisticRegression(max_iter=2000), {"C": [0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 100]})
    model.fit(x.astype(np.float64), split.y)
    w, b = model.coef_.T, model.intercept_
    if split.classes == 2:
        w, b = np.hstack([0 * w, w]), np.array([0, b[0]])
    whole = WholeNetwork(codes, split.x, [(w, b)], unit, centre)
    return Fitted(whole.predict(split.test_x), whole.size(), whole, chosen)


def fit_machine(split, seed):
    del seed
    spread = split.x.astype(np.float64).var() if split.scale == "global" else 1.0
    scaler = [] if split.scale == "global" else [StandardScaler()]
    base = 1 / (split.x.shape[1] * spread)
    model, chosen = chooser(split, make_pipeline(*scaler, SVC()),
                            {"svc__C": [1, 10, 100], "svc__gamma": [base * f for f in (0.1, 0.25, 0.5, 1, 2, 4)]})
    model.fit(split.x.astype(np.float64), split.y)
    vectors, inputs = model[-1].support_vectors_.shape
    pairs = split.classes * (split.classes - 1) // 2
    return Fitted(model.predict(split.test_x.astype(np.float64)),
                  vectors * (inputs * split.x.itemsize + 4 * (split.classes - 1)) + 4 * pairs, None, {**chosen, "support vectors": vectors})


# ---- Forests.


def fit_forest(split, seed, trees, form):
    """Trees vote, as those that emlearn writes do; scikit-learn takes the mean of their probabilities, and that is noted.
    `form`: emlearn's "inline" (code) or "loadable" (tables)."""
    forest = RandomForestClassifier(trees, random_state=seed).fit(split.x, split.y)
    test = split.test_x.astype(np.float32)
    votes = np.zeros((len(test), split.classes), int)
    for tree in forest.estimators_:
        votes[np.arange(len(test)), forest.classes_[tree.predict(test).astype(int)]] += 1
    mean = np.mean(forest.predict(test) == split.test_y)
    nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    inner = sum(int((tree.tree_.feature >= 0).sum()) for tree in forest.estimators_)
    return Fitted(votes.argmax(1), 8 * inner, (forest, form),
                  {"accuracy of mean probabilities": 100 * float(mean), "nodes": nodes})
