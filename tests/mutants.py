#!/usr/bin/env python3
"""Small mistakes in the sources, each of which a test must notice.

    mutants.py --list               the list, and that each original text stands in its file exactly once
    mutants.py [--jobs N] [--again] [NAME...]
                                    makes the mistakes one after the other in a copy of the tree, builds the program that
                                    should notice, and runs it; NAME: only mutants whose number, file or program has it;
                                    --again: does not see first that the programs pass without a mutant

A mutant is killed when its program fails, does not end, or no longer compiles. The copy and its build are in
build/mutants and are used again. Run by hand before a release: a full run takes half an hour.
"""
import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "mutants"
TREE, BUILD = PLACE / "tree", PLACE / "build"
# One back end, so that a change is compiled once; the unit tests then repeat less, as where processors are emulated.
OPTIONS = ["-Dsimd=scalar", "-Doptimization=1", "-Dhost=enabled", "-Dtests=enabled", "-Dbench=disabled"]
MOST_SECONDS = 300

DOCTEST = {name: f"tests/test-{name}"
           for name in ("c", "kernel", "learn", "map", "model", "networks", "project", "readout", "skeleton", "sketch", "stream", "transform",
                        "vectors", "simd-scalar")}
DOCTEST["host"] = "ports/host/test-host"
TOOL = "ports/host/samara"
# Other programs: what is built, and what is run.
PROGRAMS = {
    "command line": ([TOOL], ["python3", "tests/host/test_command_line.py", TOOL]),
    "train command": ([TOOL], ["python3", "tests/host/test_train_command.py", TOOL, "Training.test_bad_options"]),
    "model commands": ([TOOL, "src/libsamara.a"],
                       ["python3", "tests/host/test_model_commands.py", TOOL, "include", "BUILD/include", "src/libsamara.a"]),
}

# The program that should notice, a file, what stands there, and the mistake.
MUTANTS = [
    # memory
    ("vectors", "src/memory/crc32.cpp", "0x76dc4190u", "0x76dc4191u"),
    ("vectors", "src/memory/crc32.cpp", "std::uint32_t crc = ~so_far;", "std::uint32_t crc = so_far;"),
    # status
    ("c", "src/c/c_status.cpp", "status >= 0 && status <= 255", "status > 0 && status <= 255"),
    ("c", "src/status/status.cpp", "case Status::misaligned:", "case static_cast<Status>(200):"),
    # simd
    ("vectors", "src/simd/math.hpp", "-0x1.324ccap+6f", "-0x1.324cdap+6f"),
    ("simd-scalar", "src/simd/math.hpp", "const F folded = select(a < quarter, a, broadcast(0.5f) - a);",
     "const F folded = select(a < quarter, a, broadcast(0.5f) + a);"),
    ("simd-scalar", "src/simd/math.hpp", "low = broadcast(-104.0f)", "low = broadcast(-100.0f)"),
    ("simd-scalar", "src/simd/math.hpp", "const F edge = broadcast(5.0f);", "const F edge = broadcast(4.0f);"),
    ("simd-scalar", "src/simd/scalar_math.hpp", "if (rest > half || (rest == half && (rounded & 1u) != 0))",
     "if (rest >= half)"),
    ("simd-scalar", "src/simd/scalar_math.hpp", "root = (root + 1) >> 1;", "root = root >> 1;"),
    ("simd-scalar", "src/simd/scalar_math.hpp", "(error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1",
     "(error > 0.0) == (sum > 0.0) ? bits - 1 : bits + 1"),
    ("vectors", "src/simd/fold.hpp", "sum[k] = sum[k] + sum[k + h];", "sum[k] = sum[k] + sum[h - 1 - k + h];"),
    ("vectors", "src/simd/vectors.cpp", "fma(broadcast(b), load(x + i), broadcast(a) * load(y + i))",
     "fma(broadcast(a), load(y + i), broadcast(b) * load(x + i))"),
    # stream
    ("stream", "src/stream/lanes.hpp", "rotate_left<11>(g.s3)", "rotate_left<13>(g.s3)"),
    ("vectors", "src/stream/lanes.hpp", "broadcast(-1.38629436f)", "broadcast(-1.38629448f)"),
    ("stream", "src/stream/lanes.hpp", "select_by_words(low, s, c) / select_by_words(low, c, s)",
     "select_by_words(low, c, s) / select_by_words(low, s, c)"),
    ("stream", "src/stream/lanes.hpp", "fma(z, broadcast(s), broadcast(1.0f - c))", "fma(z, broadcast(s), broadcast(1.0f + c))"),
    ("stream", "src/stream/fill.cpp", "store(o + 16, z.second);", "store(o + 16, z.first);"),
    # transform
    ("transform", "src/transform/walsh_hadamard.hpp", "const F a = x[i], b = x[i + h];", "const F a = x[i + h], b = x[i];"),
    ("transform", "src/transform/walsh_hadamard.hpp", "h *= radix;", "h *= 4;"),
    ("transform", "src/transform/fft.cpp", "if (memory.size() < fft_bytes(n))", "if (memory.size() + 4 < fft_bytes(n))"),
    ("transform", "src/transform/fft.cpp", "if (in.size() != size_ + 2 || out.size() != size_)", "if (in.size() != size_ + 2)"),
    # project
    ("project", "src/project/tile.hpp", "const bool first = c0 == 0, last = c0 + columns == b.inputs;",
     "const bool first = c0 <= chunk_columns, last = c0 + columns == b.inputs;"),
    ("project", "src/project/fastfood_rows.cpp", "factor = b.scale / length", "factor = b.scale * length"),
    ("project", "src/project/quasi_rows.cpp", "b = left > 1 ? Value::of(column()) : broadcast(0.0f);",
     "b = left > 2 ? Value::of(column()) : broadcast(0.0f);"),
    ("project", "src/project/gibbs_rows.cpp", "u * (1.0f + z) < z ? normal : chi", "u * (1.0f + z) < 1.0f ? normal : chi"),
    ("project", "src/project/hadamard_rows.cpp", "to + i + 16, second", "to + i + 16, first"),
    ("host", "src/project/hadamard_rows.cpp", "row % 32 < 16 ? 0u : ~0u", "row % 32 < 15 ? 0u : ~0u"),
    # sketch
    ("sketch", "src/sketch/hash.cpp", "if (v != 0.0f) {", "if (v > 0.0f) {"),
    ("sketch", "src/sketch/hash.cpp", "into[i] -= other[i];", "into[i] += other[i] * -0.5f;"),
    ("sketch", "src/sketch/srht.cpp", "const float scale = root_of_inverse(copies * size);", "const float scale = root_of_inverse(m);"),
    ("sketch", "src/sketch/srht.cpp", "key(Domain::tensor_signs, 1), y.data()", "key(Domain::tensor_signs, 0), y.data()"),
    ("sketch", "src/sketch/tensor.cpp", "product[k] = a * c - b * d;", "product[k] = a * c + b * d;"),
    ("sketch", "src/sketch/tensor.cpp", "if (factors.size() != spec_.degree)", "if (factors.size() < spec_.degree)"),
    ("sketch", "src/sketch/poly.cpp", "(2 * (index >> 1) + side)", "(2 * (index >> 1))"),
    ("sketch", "src/sketch/poly.cpp", "if (bound + longest > 126)", "if (bound + longest > 226)"),
    # kernel
    ("kernel", "src/kernel/kernel.cpp", "product /= 1.0 + d * d;", "product /= 1.0 + d;"),
    ("kernel", "src/kernel/kernel.cpp", "if (minus < 0x1p-10 || plus < 0x1p-10) {", "if (minus < 0x1p-40 || plus < 0x1p-40) {"),
    ("kernel", "src/kernel/kernel.cpp", "a.supplement < 0.5", "a.supplement < 2.5"),
    ("kernel", "src/kernel/kernel.cpp", "value.ntk * (a.supplement / real::pi) + value.nngp", "value.ntk * (a.supplement / real::pi) - value.nngp"),
    ("kernel", "src/kernel/cntk_kernel.cpp", "if (!(down > 0x1p-48))", "if (!(down > 0.0))"),
    ("kernel", "src/kernel/cntk_kernel.cpp", "(last && !s_.trained_ends ? 0.0 : gamma_(i, j))", "(last ? 0.0 : gamma_(i, j))"),
    ("kernel", "src/kernel/cntk_kernel.cpp", "(s_.width - 1) / s_.cells_wide", "s_.width / s_.cells_wide - 1"),
    ("host", "ports/host/training/cntk_lanes.cpp", "for (std::size_t j = plane.gap; j < plane.gap_end; ++j)",
     "for (std::size_t j = plane.gap; j + 1 < plane.gap_end; ++j)"),
    ("host", "ports/host/training/cntk_layers.hpp", "return own ? layer_row<Sums, Sums, Before::own, false, true, false>",
     "return own ? layer_row<Sums, Sums, Before::gammas, false, true, false>"),
    ("host", "ports/host/training/cntk_layers.hpp", "if (j + 1 < width_)", "if (j < width_)"),
    ("host", "ports/host/training/exact_cntk.cpp", "std::pow(shape.patch, -2.0 * shape.depth)", "1.0"),
    ("host", "ports/host/training/exact_cntk.cpp", "if (same() && j < i) {", "if (same() && j <= i) {"),
    ("kernel", "src/kernel/series.hpp", "t_ *= (2.0 * i_ + 1.0) / (2.0 * i_ + 2.0);", "t_ *= (2.0 * i_ + 1.0) / (2.0 * i_ + 3.0);"),
    # skeleton
    ("skeleton", "include/samara/skeleton.hpp", "sum += (std::uint64_t{1} << 32) - g.step(j);", "sum += g.step(j);"),
    ("skeleton", "include/samara/skeleton.hpp", "if (range.first >= g.first || range.count < 1)", "if (range.count < 1)"),
    ("skeleton", "include/samara/skeleton.hpp", "if (g.step(j) < g.step(j - 1))", "if (g.step(j) > g.step(j - 1))"),
    ("skeleton", "include/samara/skeleton.hpp", "(first_of(middle) <= node ? low : high) = middle;",
     "(first_of(middle) < node ? low : high) = middle;"),
    ("skeleton", "src/skeleton/skeleton_kernel.cpp", "return far ? -cosine : cosine;", "return cosine;"),
    ("skeleton", "src/skeleton/skeleton_kernel.cpp", "node % g.width * g.stride_width;", "node % g.width * g.stride_height;"),
    ("skeleton", "src/skeleton/draw.hpp", "TermRatio{10 * i + 11, 2 * i + 3, 2 * i + 4}", "TermRatio{10 * i + 12, 2 * i + 3, 2 * i + 4}"),
    ("skeleton", "src/skeleton/draw.hpp", "while (count < g.steps && high >= g.step(count))", "while (count < g.steps && high > ~g.step(count))"),
    ("skeleton", "src/skeleton/draw.hpp", "(top * source.width + left) * source.channels + k % row", "(top * source.width + left) * source.channels + k % 2"),
    ("skeleton", "src/skeleton/skeleton_features.cpp", "phase_ += which_of(g, words) != 0 ? 0u - angle : angle;", "phase_ += angle;"),
    ("skeleton", "src/skeleton/skeleton_features.cpp", "(mantissa + (1u << (whole - exponent - 1)))", "mantissa"),
    ("skeleton", "src/skeleton/skeleton_features.cpp", "sqrt_scalar(0.5f * static_cast<float>(g.columns))", "sqrt_scalar(static_cast<float>(g.columns))"),
    ("vectors", "src/skeleton/skeleton_kernel.cpp", "rest = rest > 0.5 ? 1.0 - rest : rest;", "rest = rest > 0.5 ? rest - 0.5 : rest;"),
    # the map of skeletons
    ("skeleton", "src/map/skeleton/skeleton.cpp", "constexpr float root_of_two = 0x1.6a09e6p+0f;", "constexpr float root_of_two = 0x1.6a09e8p+0f;"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "std::bit_cast<std::uint32_t>(re) ^ (phase & sign_bit)", "std::bit_cast<std::uint32_t>(re) ^ sign_bit"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "return detail::check_skeleton_inputs(data.skeleton(), x);", "return Status::ok;"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "indices[i] = data.all() ? first + i : data.index(first + i);",
     "indices[i] = data.all() ? first + i : data.index(i);"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "root_of_inverse(data.all() ? row_count(s) : data.sum())",
     "root_of_inverse(data.all() ? row_count(s) : data.count())"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "SAMARA_ARCH::sqrt_scalar(static_cast<float>(times)) * scale",
     "static_cast<float>(times) * scale"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "draw_products({skeleton, s.seed, phase}, sample.x,", "draw_products({skeleton, s.seed, false}, sample.x,"),
    ("skeleton", "src/map/skeleton/skeleton.cpp", "good = good && finite(re[i]);", "good = true;"),
    ("skeleton", "src/skeleton/skeleton_features.cpp", "words.word() >> 31 << 30 : 0", "words.word() >> 31 << 29 : 0"),
    ("skeleton", "include/samara/map/skeleton.hpp", "data.count() > rows ||", "data.count() > rows + 1 ||"),
    ("skeleton", "include/samara/map/skeleton.hpp", "data.index(data.count() - 1) >= most_features)", "data.index(data.count() - 1) > most_features)"),
    ("skeleton", "include/samara/map/skeleton.hpp", "return skeleton.inputs() == s.inputs && skeleton_normals(skeleton) == s.normals &&",
     "return skeleton.inputs() == s.inputs && skeleton_normals(skeleton) <= s.normals &&"),
    ("skeleton", "include/samara/map/skeleton.hpp", "(s.form != SkeletonForm::real || skeleton_is_real(skeleton));",
     "(s.form == SkeletonForm::pair || skeleton_is_real(skeleton));"),
    ("skeleton", "include/samara/map/skeleton.hpp", "const std::uint32_t own = s.form == SkeletonForm::phase ? 2 : 1;", "const std::uint32_t own = 1;"),
    ("skeleton", "include/samara/skeleton/data.hpp", "if (n < 1 || (i > 0 && index(i) <= index(i - 1)))", "if (n < 1 || (i > 0 && index(i) < index(i - 1)))"),
    ("skeleton", "include/samara/skeleton/data.hpp", "return count_ == 0 || (sum == this->sum() &&", "return count_ == 0 || (sum >= this->sum() &&"),
    ("skeleton", "include/samara/skeleton/data.hpp", "index_bytes() == width_for(index(count_ - 1)) &&", "index_bytes() >= width_for(index(count_ - 1)) &&"),
    ("skeleton", "include/samara/skeleton/data.hpp", "count_bytes() == (most == 1 ? 0 : width_for(most)));", "count_bytes() >= (most == 1 ? 0 : width_for(most)));"),
    ("skeleton", "include/samara/skeleton/data.hpp", "if (listed == 0 ? !list.empty()", "if (listed == 0 ? false"),
    ("skeleton", "include/samara/skeleton/data.hpp", "list.size() != data.list_bytes()", "list.size() < data.list_bytes()"),
    ("skeleton", "include/samara/skeleton/data.hpp", "return wanted < count_ ? wanted : count_;", "return wanted;"),
    ("skeleton", "include/samara/model/fold.hpp", "for (std::size_t i = 0; i < scores.size() && begun && status != Status::ok; ++i)",
     "for (std::size_t i = 0; i < scores.size() && !begun && status != Status::ok; ++i)"),
    ("skeleton", "include/samara/map/map.hpp", "for (std::size_t i = 0; i < samples && DataSpec<Spec>; ++i)", "for (std::size_t i = 0; i < 1 && DataSpec<Spec>; ++i)"),
    ("host", "ports/host/skeleton/skeleton_words.cpp", "depth += c == '(' ? 1 : c == ')' ? -1 : 0;", "depth = 0;"),
    ("host", "ports/host/skeleton/skeleton_words.cpp", "RowGrid{1, row_shape[1], row_shape[0], true}", "RowGrid{1, row_shape[0], row_shape[1], true}"),
    ("host", "ports/host/skeleton/skeleton_words.cpp", "if (duals.size() != 1 && duals.size() < patches.size() + 1)", "if (duals.size() != 1 && duals.size() < patches.size())"),
    ("host", "ports/host/skeleton/skeleton_words.cpp", "if (inputs != columns) {", "if (inputs > columns) {"),
    ("host", "ports/host/skeleton/skeleton_part.cpp", "some.draws += some.counts.back();", "some.draws += 1;"),
    ("host", "ports/host/skeleton/skeleton_part.cpp", "width_for(list.indices.back())", "width_for(list.indices.front())"),
    ("host", "ports/host/skeleton/merged_features.cpp", "exponent += factor.which == 0 ? 1 : -1;", "exponent += 1;"),
    ("host", "ports/host/training/gradient.cpp", "splitmix_increment * (now_.epoch + std::uint64_t{1})", "splitmix_increment"),
    ("host", "ports/host/training/gradient.cpp", "g.array() += ridge * w;", "g.array() += 0.0f * ridge * w;"),
    ("host", "ports/host/training/gradient.cpp", "now_.bias[o] * unit_[o] + origin_[o]", "now_.bias[o] + origin_[o]"),
    ("host", "ports/host/training/gradient_state.cpp", "state.position = header.position;", "state.position = 0;"),
    # map
    ("map", "src/map/rff/rff.cpp", "s.form == Form::pair ? 1.0f : 2.0f", "s.form == Form::pair ? 1.0f : 1.5f"),
    ("map", "src/map/rff/rff.cpp", "exp_scalar(q * q * -0.5f)", "exp_scalar(q * q * -0.501f)"),
    ("vectors", "src/map/rff/rff.cpp", "0.159154943f", "0.159154958f"),
    ("project", "src/map/rff/rff.cpp", "cosine_of(angle - 64)", "cosine_of(angle + 64)"),
    ("project", "include/samara/project/integer.hpp", "{{45259, 31291,", "{{45259, 31191,"),
    ("project", "include/samara/project/integer.hpp", "rest >= divisor", "rest > divisor + 999999"),
    ("model", "include/samara/map/rff.hpp", "negative_features = true", "negative_features = false"),
    ("project", "src/project/integer_powers.cpp", "(word & 1u) != 0 ? -v : v", "(word & 2u) != 0 ? -v : v"),
    ("project", "src/project/integer_powers.cpp", "before = count < j ? count : j", "before = count < j - 1 ? count : j - 1"),
    ("project", "include/samara/project/integer_powers.hpp", "(1 << by >> 1)", "0"),
    ("project", "include/samara/project/integer_powers.hpp", "(root + 1) / 2", "root / 2"),
    ("project", "src/map/polynomial/polynomial.cpp", "all * power(value, s.degree)", "all * power(value, 1)"),
    ("model", "src/model/whole_powers.cpp", "first += whole_chunk", "first += whole_chunk + 64"),
    ("model", "src/model/whole_powers.cpp", "    walk.row = row;\n    rows.leave(walk);", "    rows.leave(walk);"),
    ("project", "include/samara/project/integer_powers.hpp", "(feature >> log2_size) * odd", "(feature >> log2_size)"),
    ("model", "src/model/whole_predictor.cpp", "walk = begun;", "walk.first = begun.first;"),
    ("map", "src/map/arccos/arccos.cpp", "(half ? 0.5f : 2.0f)", "(half ? 0.5f : 1.9f)"),
    ("map", "src/map/arccos/arccos.cpp", "plan.square = -(a / seen);", "plan.square = a / seen;"),
    ("map", "src/map/engine/row_map.cpp", "if (work.size() < sizeof(float) * work_floats(map, map.sample_floats))",
     "if (work.size() + 4 < sizeof(float) * work_floats(map, map.sample_floats))"),
    ("map", "src/map/engine/row_map.cpp", "const std::uint32_t left = i < whole ? whole - i : 1;",
     "const std::uint32_t left = i < whole ? whole - i + 1 : 1;"),
    ("map", "src/map/engine/values.hpp", "if (bits <= 0x53800000u)", "if (bits <= 0x54000000u)"),
    ("map", "src/map/engine/finish.cpp", "for (; drawn_ <= i / 32; ++drawn_)", "for (; drawn_ < i / 32; ++drawn_)"),
    ("networks", "src/map/engine/finish.cpp", "of[j] = (j & 2u) != 0 ? -of[j] : of[j];", "of[j] = (j & 1u) != 0 ? -of[j] : of[j];"),
    ("networks", "src/map/engine/layers.cpp", "sqrt_scalar(0.5f / static_cast<float>(spec.features))",
     "sqrt_scalar(0.6f / static_cast<float>(spec.features))"),
    ("map", "src/map/engine/magnitude.cpp", "0.0390625f", "0.390625f"),
    ("map", "src/map/polynomial/polynomial.cpp", "binomial = binomial * (s.degree - j) / (j + 1);",
     "binomial = binomial * (s.degree - j) / (j + 2);"),
    ("networks", "src/map/ntk_poly/ntk_poly_coefficients.cpp", "out.c[n] > 0x1p-40f", "out.c[n] > 0x1p-4f"),
    ("vectors", "src/map/engine/power_series.cpp", "both.relu.of[0] = root(1.0 / real::pi);", "both.relu.of[0] = root(0.9 / real::pi);"),
    ("networks", "src/map/ntk_gradient/ntk_gradient.cpp", "slope[i] = t > 0.0f ? 1.0f : 0.0f;", "slope[i] = t > 0.0f ? 1.0f : 0.1f;"),
    ("vectors", "include/samara/map/engine/local_filter.hpp", "return (words.word() >> 16) * n >> 16;",
     "return (words.word() & 65535u) * n >> 16;"),
    ("vectors", "include/samara/map/engine/local_filter.hpp", "site >= taken[at]", "site > taken[at]"),
    ("vectors", "include/samara/map/engine/local_filter.hpp", "channel[1] >= patch.channel[0] ? 1 : 0", "channel[1] > patch.channel[0] ? 1 : 0"),
    ("vectors", "include/samara/map/engine/local_filter.hpp", "(made.taps > 2 ? 1 : 0)", "(made.taps > 4 ? 1 : 0)"),
    ("vectors", "src/map/local/local_found.hpp", "least_sum = -32768;", "least_sum = 0;"),
    ("networks", "include/samara/map/engine/local_shape.hpp", "if (s.length < 3 ||", "if (s.length < 2 ||"),
    ("model", "include/samara/model/local_predictor.hpp", "kept_.at + 2 * std::size_t{i}", "kept_.at + std::size_t{i}"),
    ("model", "include/samara/map/engine/local_stream.hpp", "divided(begin.quotient + back, hop).rest", "divided(begin.quotient, hop).rest"),
    ("model", "include/samara/map/engine/local_stream.hpp", "first = length.rest + 1;", "first = length.rest;"),
    ("model", "include/samara/map/engine/local_stream.hpp", "window - (begin.quotient + positions + back)", "window - (begin.quotient + positions)"),
    ("model", "include/samara/model/local_stream.hpp", "p.keep = back;", "p.keep = back - 1;"),
    ("model", "include/samara/model/local_stream.hpp", "p.depth = back + smaller(", "p.depth = back - 1 + smaller("),
    ("model", "include/samara/model/local_stream.hpp", "p.sums) += filter.periods + 1;", "p.sums) += filter.periods;"),
    ("model", "include/samara/model/local_stream.hpp", "run == shape.width && length == shape.channels", "length == shape.channels"),
    ("model", "src/model/local_stream.cpp", "if (phase != 0) {", "if (phase != first) {"),
    ("model", "src/model/local_stream.cpp", "phase + count <= p.hop", "phase + count <= p.hop + 1"),
    ("model", "src/model/whole_scaling.cpp", "(k + 1) * std::size_t{s.run} : n", "(k + 1) * std::size_t{s.run} : n - 1"),
    ("model", "include/samara/model/layout.hpp", "(m.scaling_length == 1 || m.scaling_length == m.inputs)", "m.scaling_length == 1"),
    ("model", "src/readout/whole_readout.cpp", "r.weights + feature / 8 * 4 + feature % 4;", "r.weights + feature / 2;"),
    ("model", "include/samara/model/local_predictor.hpp", "+ 3) / 4 * 4 + 2 * whole_chunk", "+ 3) / 4 * 4 + whole_chunk"),
    ("networks", "src/map/cntk_gradient/cntk_gradient.cpp", "box = below;", "box = cell;"),
    ("networks", "src/map/cntk_gradient/cntk_gradient.cpp", "s.width - column <= r ?", "s.width - column < r ?"),
    ("vectors", "src/map/cntk_gradient/cntk_gradient.cpp", "{box.top > r ? box.top - r : 0,", "{box.top,"),
    ("networks", "src/map/cntk_gradient/cntk_gradient.cpp", "1.0f / static_cast<float>(cell.pixels())", "1.0f"),
    ("networks", "src/map/cntk/walk.cpp", "(1.0f / static_cast<float>(pixels), last_", "(2.0f / static_cast<float>(pixels), last_"),
    ("networks", "src/map/cntk/walk.cpp", "length / static_cast<float>(s_.patch)", "length"),
    ("networks", "src/map/cntk/walk.cpp", "s_.width - column <= x ?", "s_.width - column < x ?"),
    ("networks", "src/map/cntk/sketch.cpp", "features_of_series(job, true, job.length / q)", "features_of_series(job, true, 1.0f / q)"),
    ("vectors", "src/map/cntk/orders_random.cpp", "root_of_prime(evens_of_layer * (h - 1) + number)", "root_of_prime(number)"),
    ("vectors", "src/map/cntk/orders_random.cpp", "(1.0f - part[j] * r_.window_root) * r_.window_root", "(1.0f - part[j]) * r_.window_root"),
    ("vectors", "src/map/cntk/orders_directions.cpp", "a = a * share + g * l * inverse_pi + l * 0.5f;", "a = a * share + l * 0.5f;"),
    ("vectors", "src/map/cntk/orders_ways.cpp", "of_place[i] *= below.inverses[i];", "of_place[i] *= below.roots[i];"),
    ("networks", "src/map/cntk/orders_layer.cpp", "const float n = sum_of(0) * r_.square_over_patch;", "const float n = sum_of(0) * r_.over_patch;"),
    ("networks", "src/map/cntk/orders_layer.cpp", "rest[i] = -each;", "rest[i] = 0.0f;"),
    ("vectors", "src/map/cntk/orders_raw.cpp", "lost[i] = -weights[i] * table.given_back[i];", "lost[i] = 0.0f;"),
    ("networks", "src/map/cntk/orders_raw.cpp", "return near(row_, s_.height, r_.window.y) || near(column_, s_.width, r_.window.x);", "return false;"),
    ("networks", "src/map/cntk/orders_layer.cpp", "a.pass = r_.over_patch;", "a.pass = r_.pi_over_patch;"),
    ("vectors", "src/map/cntk/orders_layer.cpp", "project(tau, omega, b);", "project(tau, omega, 0);"),
    ("networks", "src/map/cntk/steps.cpp", "mean_magnitude = 0.797884561f;", "mean_magnitude = 0.897884561f;"),
    ("networks", "src/map/cntk/steps.cpp", "(absolute(made.z) - centre, relu_scale, tau_so_far)", "(absolute(made.z), relu_scale, tau_so_far)"),
    ("networks", "src/map/cntk/cntk.cpp", "v[std::size_t{i} * channels] -= along * (layer.roots[i] * inverse);", "v[std::size_t{i} * channels] -= 0.0f;"),
    ("networks", "include/samara/map/engine/cntk_orders.hpp", "h < shape.depth ? product_fold(h) : of_windows", "h < shape.depth ? product_fold(h) : 0u"),
    ("networks", "include/samara/map/engine/cntk_orders.hpp", "while (inner > smallest && !cntk_orders_fit(s, inner))", "while (inner > smallest && inner > most_inner)"),
    ("networks", "include/samara/map/engine/image.hpp", "const std::uint32_t cells = s.grid == 0 ? 2 : s.grid;", "const std::uint32_t cells = s.grid == 0 ? 1 : s.grid;"),
    # readout
    ("readout", "src/readout/readout.cpp", "if (scores[o] > scores[best])", "if (scores[o] >= scores[best])"),
    ("readout", "src/readout/readout_kernels.cpp", "shift_left<16>(u & broadcast(0x8000u))", "shift_left<16>(u & broadcast(0x0000u))"),
    ("readout", "src/readout/readout_kernels.cpp", "left < readout_segment ? left : readout_segment", "left < readout_segment ? left : readout_segment / 2"),
    # learn
    ("learn", "src/learn/gram.cpp", "header->samples_high = static_cast<std::uint32_t>(sum >> 32);", "header->samples_high = 0;"),
    ("learn", "src/learn/gram.cpp", "(i + 1 < n ? added : 0.0f)", "(i < n ? added : 0.0f)"),
    ("learn", "src/learn/rls.cpp", "alpha = next;", "alpha = 1.0f;"),
    ("learn", "src/learn/sgd.cpp", "rival = label == 0 ? 1 : 0;", "rival = 0;"),
    ("vectors", "src/learn/learn_steps.cpp", "(sqrt(squares) + broadcast(0x1p-20f))", "(sqrt(squares) + broadcast(0x1p-10f))"),
    ("learn", "src/learn/learner.cpp", "return label < (outputs == 1 ? 2 : outputs);", "return label <= (outputs == 1 ? 2 : outputs);"),
    ("learn", "src/learn/learner.cpp", "if (memory.size() < needed)", "if (memory.size() + 4 < needed)"),
    # model
    ("learn", "src/model/checkpoint.cpp", "const unsigned slot = from == 0 ? 1 : 0;", "const unsigned slot = from == 1 ? 1 : 0;"),
    ("learn", "src/model/checkpoint.cpp", "if (h.length != state.size())", "if (h.length < state.size())"),
    ("host", "src/model/model.cpp", "if (crc32(bytes.first(m.total - 4)) != read_u32(p + m.total - 4))",
     "if (crc32(bytes.first(m.total - 4)) == 0)"),
    ("host", "src/model/model.cpp", "if (largest == 0 || largest > largest_bits)", "if (largest > largest_bits)"),
    ("host", "src/model/seal_readout.cpp", "steps > -127.0f ? steps : -127.0f", "steps > -63.0f ? steps : -63.0f"),
    ("host", "src/model/seal_readout.cpp", "0x0fffu + odd", "0x0fffu"),
    ("model", "include/samara/model/layout.hpp", "m.scaling_steps > 7", "m.scaling_steps > 15"),
    ("model", "include/samara/model/layout.hpp", "m.inputs % m.scaling_length != 0 || (vectors", "m.scaling_length > m.inputs || (vectors"),
    ("model", "include/samara/model/layout.hpp", "(vectors == 0 && m.scaling_length != m.inputs)", "(vectors == 0 && m.scaling_length > m.inputs)"),
    ("model", "src/model/model.cpp", "at + 4 == 4 * std::size_t{length} ? 0 : at + 4", "at + 4"),
    # c
    ("c", "include/samara/c_face.hpp", "if (size < learner_bytes(m))", "if (size == 0)"),
    ("c", "include/samara/c_face.hpp", "opened.features_id() != in(m).model().features_id()", "opened.features_id() == 0"),
    # the desk
    ("host", "ports/host/data/idx.cpp", "for (unsigned i = 1; i < dimensions; ++i) {",
     "for (unsigned i = 2; i < dimensions; ++i) {"),
    ("host", "ports/host/data/gzip.cpp", "while (!first && fill() && *stream.next_in == 0) {", "while (fill() && *stream.next_in == 0) {"),
    ("host", "ports/host/training/score.cpp", "1.0 - errors_[k] / spread", "1.0 + errors_[k] / spread"),
    ("host", "ports/host/training/ridge.cpp", "most_raises = 12", "most_raises = 0"),
    ("host", "ports/host/training/ridge.cpp", "1.0 - weight / equations.count - weight * static_cast<double>(leverage.row(i)[t])",
     "1.0 - weight * static_cast<double>(leverage.row(i)[t])"),
    ("host", "ports/host/training/scaling.cpp", "squares - sum * mean_distance", "squares"),
    ("host", "ports/host/training/normal_equations.cpp", "sum.count += sign * part.count;", "sum.count += part.count;"),
    ("host", "ports/host/training/ntk_fit.cpp", "own > most", "own < most"),
    ("host", "ports/host/text/map_text.cpp", "return pair.first == key;", "return pair.first.empty();"),
    ("command line", "ports/host/commands/command_common.cpp", 'arguments.has("--limit") ? KernelKind::limit : KernelKind::own',
     'arguments.has("--limit") ? KernelKind::own : KernelKind::limit'),
    ("train command", "ports/host/commands/train_options.cpp", "if (settings.features > settings.candidates) {", "if (settings.features > settings.candidates + 32) {"),
]


def check_list():
    """What is wrong with the list itself."""
    wrong = []
    for program, name, original, mutated in MUTANTS:
        if program not in DOCTEST and program not in PROGRAMS:
            wrong.append(f"{name}: no program '{program}'")
        found = (ROOT / name).read_text(encoding="utf-8").count(original)
        if found != 1:
            wrong.append(f"{name}: '{original}' stands there {found} times, expected once")
        if original == mutated:
            wrong.append(f"{name}: '{original}' is not changed")
    rooms = {room.name for room in (ROOT / "src").iterdir() if room.is_dir()}
    for room in sorted(rooms - {name.split("/")[1] for _, name, _, _ in MUTANTS}):
        wrong.append(f"src/{room}: no mutant")
    return wrong


def copy_tree():
    """The tree as it is now. Files that did not change keep their time, so that they are not compiled again."""
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        source, target = ROOT / name, TREE / name
        if source.is_file() and not (target.is_file() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for unpacked in (ROOT / "subprojects").glob("kissfft-*/"):
        if not (TREE / "subprojects" / unpacked.name).exists():
            shutil.copytree(unpacked, TREE / "subprojects" / unpacked.name)
    if not (BUILD / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(BUILD), str(TREE), *OPTIONS], check=True, stdout=subprocess.DEVNULL)


def targets_of(program):
    return [DOCTEST[program]] if program in DOCTEST else PROGRAMS[program][0]


def words_of(program):
    if program in DOCTEST:
        return [str(BUILD / DOCTEST[program]), "--abort-after=1"]
    built, words = PROGRAMS[program]
    return [str(BUILD / word) if word in built else word.replace("BUILD", str(BUILD)) for word in words]


def verdict(program, jobs, show=False):
    """Why the program fails; empty where it passes. `show`: prints the end of what it says then."""
    built = subprocess.run(["ninja", "-C", str(BUILD), "-j", str(jobs), *targets_of(program)], capture_output=True,
                           check=False)
    if built.returncode != 0:
        return "does not compile"
    try:
        done = subprocess.run(words_of(program), cwd=TREE, capture_output=True, check=False, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode != 0 and show:
        print((done.stdout + done.stderr).decode(errors="replace")[-2000:])
    return "" if done.returncode == 0 else "fails"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="the programs are known to pass without a mutant")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    wrong = check_list()
    for line in wrong:
        print(line)
    if options.list or wrong:
        print(f"{len(MUTANTS)} mutants, {len(wrong)} mistakes in the list")
        return 1 if wrong else 0

    chosen = [(number, mutant) for number, mutant in enumerate(MUTANTS, 1)
              if not options.names or any(name in (str(number), mutant[0]) or name in mutant[1] for name in options.names)]
    # A shell that starts this in the background has interrupts ignored, and then a test of them cannot pass.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    copy_tree()
    for program in sorted({mutant[0] for _, mutant in chosen} if not options.again else ()):
        if why := verdict(program, options.jobs, show=True):
            print(f"{program} {why} without a mutant")
            return 1
    survivors = 0
    for number, (program, name, original, mutated) in chosen:
        file, begun = TREE / name, time.monotonic()
        text = file.read_text(encoding="utf-8")
        try:
            file.write_text(text.replace(original, mutated), encoding="utf-8")
            why = verdict(program, options.jobs)
        finally:
            file.write_text(text, encoding="utf-8")
        survivors += not why
        print(f"{number:3} {'killed' if why else 'SURVIVED':9} {time.monotonic() - begun:5.0f} s  {program:13} "
              f"{why:17} {name}: {original} -> {mutated}", flush=True)
    print(f"{len(chosen)} mutants, {len(chosen) - survivors} killed, {survivors} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
