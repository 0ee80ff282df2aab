"""Packs all-MiniLM-L6-v2 for the embedder: 8-bit weights, laid out as they are read.

    python models/pack.py MODEL_DIR models/all-MiniLM-L6-v2.ken

MODEL_DIR holds `model.safetensors` and `vocab.txt`. The same input gives the same bytes. Needs numpy.

The file, all numbers little endian:

    0   "KENMODEL", version u32, number of sections u32, length of the file u64
    24  one entry a section: name (24 bytes, zero padded), offset u64, length u64
    ..  the sections, each beginning at a multiple of 64

A matrix section holds the weights i8, then for each output row its scale f32, sum of weights i32 and bias f32.
Weights of a layer lie in blocks of 16 output rows; within a block, for every 4 inputs, 16 rows of 4 bytes.
"""

import hashlib
import json
import struct
import sys
from pathlib import Path

import numpy as np

MAGIC = b"KENMODEL"
VERSION = 1
TOKENS_MAX = 256
LAYERS = 6
HEAD = 32
# The vocabulary's slots, a power of two about twice the number of words.
SLOTS = 1 << 16
KINDS = ["letter", "dropped", "blank", "ideograph", "mark", "punctuation"]


def read_safetensors(path):
    data = Path(path).read_bytes()
    size = struct.unpack_from("<Q", data)[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    out = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + size + begin : 8 + size + end], dtype="<f4")
            out[name] = flat.reshape(entry["shape"])
    return out


def quantise(rows):
    """Rows as i8 and one scale each: the scale, of a few below the largest weight, that loses least."""
    largest = np.abs(rows).max(1)
    largest[largest == 0] = 1e-9
    best = np.full(len(rows), np.inf)
    quantised = np.zeros(rows.shape, np.int8)
    scales = np.zeros(len(rows), np.float32)
    for step in range(17):
        scale = (largest * (1 - step * 0.02) / 127).astype(np.float32)
        tried = np.clip(np.round(rows / scale[:, None]), -127, 127)
        loss = ((tried * scale[:, None] - rows).astype(np.float64) ** 2).sum(1)
        better = loss < best
        best[better], scales[better], quantised[better] = loss[better], scale[better], tried[better].astype(np.int8)
    return quantised, scales


def f32(values):
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def matrix(weight, bias, row_factor=None):
    """A linear layer. A factor for each row goes into its scale, which costs nothing."""
    quantised, scales = quantise(weight)
    sums = quantised.astype(np.int32).sum(1)
    if row_factor is not None:
        scales, bias = scales * row_factor, bias * row_factor
    outputs, inputs = weight.shape
    blocks = quantised.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3)
    return blocks.tobytes() + f32(scales) + sums.astype("<i4").tobytes() + f32(bias)


def hash_of(word):
    """FNV-1a, folded to the number of slots."""
    value = 0x811C9DC5
    for byte in word:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (value ^ value >> 16) & SLOTS - 1


def vocabulary(path):
    """Slots (word id u16, 0xffff when empty, looked up by linear probing), offsets and the words themselves."""
    words = path.read_bytes().split(b"\n")
    if words[-1] == b"":
        words.pop()
    slots = np.full(SLOTS, 0xFFFF, dtype="<u2")
    offsets = [0]
    for id, word in enumerate(words):
        at = hash_of(word)
        while slots[at] != 0xFFFF:
            at = (at + 1) & SLOTS - 1
        slots[at] = id
        offsets.append(offsets[-1] + len(word))
    return slots.tobytes(), np.array(offsets, dtype="<u4").tobytes(), b"".join(words)


def characters():
    """Where each run of like characters begins: the code point, and its kind in the top byte."""
    runs = []
    for line in Path(__file__).with_name("characters.txt").read_text().split("\n"):
        if line:
            point, kind = line.split()
            runs.append(int(point, 16) | KINDS.index(kind) << 24)
    return np.array(runs, dtype="<u4").tobytes()


def sections(directory):
    p = read_safetensors(directory / "model.safetensors")
    norm = lambda key: f32(p[key + ".weight"]) + f32(p[key + ".bias"])
    words, scales = quantise(p["embeddings.word_embeddings.weight"])
    yield "words", words.tobytes() + f32(scales)
    positions = p["embeddings.position_embeddings.weight"][:TOKENS_MAX]
    yield "positions", f32(positions + p["embeddings.token_type_embeddings.weight"][0])
    yield "words.norm", norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        key = f"encoder.layer.{layer}."
        parts = [key + "attention.self." + name for name in ("query", "key", "value")]
        weight = np.concatenate([p[part + ".weight"] for part in parts])
        bias = np.concatenate([p[part + ".bias"] for part in parts])
        # Scores are divided by the root of a head's width; the query rows do it beforehand.
        factor = np.ones(len(bias), np.float32)
        factor[: len(bias) // 3] = np.float32(HEAD**-0.5)
        linear = lambda name: matrix(p[key + name + ".weight"], p[key + name + ".bias"])
        yield f"layer{layer}.heads", matrix(weight, bias, factor)
        yield f"layer{layer}.mix", linear("attention.output.dense")
        yield f"layer{layer}.mix.norm", norm(key + "attention.output.LayerNorm")
        yield f"layer{layer}.widen", linear("intermediate.dense")
        yield f"layer{layer}.narrow", linear("output.dense")
        yield f"layer{layer}.narrow.norm", norm(key + "output.LayerNorm")
    slots, offsets, spelling = vocabulary(directory / "vocab.txt")
    yield "vocabulary.slots", slots
    yield "vocabulary.offsets", offsets
    yield "vocabulary.spelling", spelling
    yield "characters", characters()


def main():
    directory, out = Path(sys.argv[1]), Path(sys.argv[2])
    listed = list(sections(directory))
    align = lambda n: (n + 63) // 64 * 64
    table, body = b"", bytearray()
    begin = align(24 + 40 * len(listed))
    for name, content in listed:
        body.extend(bytes(align(len(body)) - len(body)))
        table += struct.pack("<24sQQ", name.encode(), begin + len(body), len(content))
        body.extend(content)
    body.extend(bytes(align(len(body)) - len(body)))
    head = MAGIC + struct.pack("<IIQ", VERSION, len(listed), begin + len(body)) + table
    out.write_bytes(head + bytes(begin - len(head)) + body)
    print(hashlib.sha256(out.read_bytes()).hexdigest(), out.name)


if __name__ == "__main__":
    main()
