"""The specification SPEC.md in plain Python and numpy: a second implementation, a module for one or a few chapters.

It is written to be read beside SPEC.md: every function names the section of SPEC.md that it implements, §3.1
for section 3.1. Numbers that are floats in the specification are numpy.float32 here, one by one or in arrays, and every
operation rounds once.
"""
