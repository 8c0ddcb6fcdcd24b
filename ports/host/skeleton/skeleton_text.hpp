// Skeletons as text, a line a group of nodes:
//
//   # two convolutions over an image, and what kind it is
//   circle      pixels  height=24 width=24 channels=3 period=2
//   categorical kind    values=4
//   windows     first   of=pixels patch=5x5 stride=2x2 dual=exp(0.25)
//   windows     second  of=first patch=4 stride=2 dual=relu
//   node        all     of=second,kind,pixels[0..2] dual=relu
//
// First what it is, then its name, then keys with values in any order. Lines come in any order, too; one node, that no
// other is made of, is the end. `#` begins a comment.
//
//   binary, circle, gaussian, categorical, sphere, sphere-uniform    base nodes, kernels as samara/skeleton.hpp has
//   them
//     height=, width=, channels=   the grid of an image: rows one after the other, a pixel's channels together
//     channels=, length=           the grid of a series: channel after channel
//     count=                       so many in a row
//     column=                      of the first node; else the first that no line above takes
//     columns=                     of each node: gaussian (1 without it), sphere, sphere-uniform
//     period=                      circle: comes back after so much (2 pi without it)
//     bandwidth=                   gaussian: b of exp(-|x - y|^2 / 2 b^2) (1 without it)
//     values=                      categorical: how many there are
//   windows                        all patches of a grid
//     of=                          the name of the grid
//     patch=, stride=              5x3 is 5 rows of 3; 5 is 5x5, over a series 5 places of all its channels
//     dual=
//   node
//     of=                          names, with commas between them; of NAME[i] and NAME[i..j] only these nodes
//     dual=
//   dual= identity, relu, step, exp(a) (that is exp(a (r - 1))), series(c0;c1;...) (they add up to 1)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace samara::desk {

// The bytes that a Skeleton reads. BadInput, which names `name` and the line, for anything else.
std::vector<std::byte> skeleton_from_text(std::string_view text, const std::string& name);

} // namespace samara::desk
