// Sketches: random linear maps to few numbers that keep inner products, of vectors, tensor products and powers.
//
//   header             sketch         of                    time                  inner products kept
//   sketch/hash.hpp    CountSketch    a stream of entries   1 an entry            <x, y>
//                      OSNAP          the same              s an entry            <x, y>
//   sketch/srht.hpp    SRHT           a vector              D log D               <x, y>
//                      TensorSRHT     x (x) y               D log D + D' log D'   <x, x'> <y, y'>
//   sketch/tensor.hpp  TensorSketch   x (x) y ..., x^(p)    p (n + m log m)       products, <x, y>^p
//   sketch/poly.hpp    PolySketch     x (x) y ..., x^(j)    2 p m log m           products, <x, y>^j, j = 1 ... p
//
// A spec is plain data, the seed inside; sketch(spec, ..., z, work) computes; nothing is stored. The bits are those of
// SPEC.md, section 7.
#pragma once

#include "samara/sketch/hash.hpp"
#include "samara/sketch/poly.hpp"
#include "samara/sketch/srht.hpp"
#include "samara/sketch/tensor.hpp"
