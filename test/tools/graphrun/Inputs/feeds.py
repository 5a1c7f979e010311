"""Writes arrays for tensor<2x3xf32>: one that is right, and others."""

from formats import write

write("good.npy", "<f4", (2, 3), range(1, 7))
write("double.npy", "<f8", (2, 3), range(6))
write("turned.npy", "<f4", (3, 2), range(1, 7))
write("column.npy", "<f4", (2, 3), range(1, 7), fortran=True)
with (
    open("good.npy", "rb") as good,
    open("short.npy", "wb") as short,
    open("junk.npy", "w") as junk,
):
    short.write(good.read()[:-1])
    junk.write("junk")
