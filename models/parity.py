"""Writes what the parity test compares with: texts, token ids and vectors of the unpacked fp32 model.

    python models/parity.py MODEL_DIR crates/embed/tests/parity

MODEL_DIR holds `model.safetensors` and `vocab.txt`. The model is computed here in numpy, token ids come from the
`tokenizers` library. `--check` compares the numpy vectors with those of torch and transformers and writes nothing.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np

from pack import read_safetensors
from texts import texts

TOKENS_MAX = 256
HEADS = 12


def tokenizer(directory):
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    # No special tokens are registered: a text that says [SEP] means the five characters.
    words = (directory / "vocab.txt").read_text(encoding="utf-8").split("\n")
    vocab = {word: id for id, word in enumerate(words) if word}
    found = Tokenizer(WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    found.normalizer = BertNormalizer(lowercase=True)
    found.pre_tokenizer = BertPreTokenizer()
    return lambda text: [101] + found.encode(text).ids[: TOKENS_MAX - 2] + [102]


def norm(x, p, key):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * p[key + ".weight"] + p[key + ".bias"]


def linear(x, p, key):
    return x @ p[key + ".weight"].T + p[key + ".bias"]


erf = np.vectorize(math.erf, otypes=[np.float64])


def embed(p, ids):
    """One text through the model, in double precision on the fp32 weights."""
    x = p["embeddings.word_embeddings.weight"][ids]
    x = x + p["embeddings.position_embeddings.weight"][: len(ids)] + p["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, p, "embeddings.LayerNorm")
    for layer in range(6):
        key = f"encoder.layer.{layer}."
        heads = lambda name: linear(x, p, key + "attention.self." + name).reshape(len(ids), HEADS, -1).swapaxes(0, 1)
        q, k, v = heads("query"), heads("key"), heads("value")
        scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ v).swapaxes(0, 1).reshape(len(ids), -1)
        x = norm(x + linear(mixed, p, key + "attention.output.dense"), p, key + "attention.output.LayerNorm")
        wide = linear(x, p, key + "intermediate.dense")
        wide = 0.5 * wide * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + linear(wide, p, key + "output.dense"), p, key + "output.LayerNorm")
    pooled = x.mean(0)
    return pooled / np.linalg.norm(pooled)


def check(directory, all_ids, vectors):
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(directory).eval()
    worst = 1.0
    for ids, vector in zip(all_ids, vectors):
        with torch.no_grad():
            pooled = model(torch.tensor([ids])).last_hidden_state[0].double().mean(0).numpy()
        worst = min(worst, float(pooled @ vector / np.linalg.norm(pooled)))
    print(f"worst cosine against transformers: {worst:.9f}")


def main():
    directory, out = Path(sys.argv[1]), Path(sys.argv[2])
    p = {name: value.astype(np.float64) for name, value in read_safetensors(directory / "model.safetensors").items()}
    tokenize = tokenizer(directory)
    all_texts = texts()
    all_ids = [tokenize(text) for text in all_texts]
    vectors = np.array([embed(p, ids) for ids in all_ids])
    if "--check" in sys.argv:
        check(directory, all_ids, vectors)
        return
    # One JSON string a line; vectors in 16 bits, 32767 being one; ids as count and ids, 16 bits each.
    lines = [json.dumps(text, ensure_ascii=False) for text in all_texts]
    (out / "texts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    np.round(vectors * 32767).astype("<i2").tofile(out / "vectors.i16")
    np.array([n for ids in all_ids for n in [len(ids), *ids]], dtype="<u2").tofile(out / "tokens.u16")
    print(len(all_texts), "texts,", sum(map(len, all_ids)), "tokens")


if __name__ == "__main__":
    main()
