"""Writes characters.txt: what the BERT tokenizer does with each character, asked of the `tokenizers` library itself.

    python models/characters.py > models/characters.txt

The library carries Unicode tables of its own age, so no other table gives exactly its answers. Needs `tokenizers`.
"""

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

cleaning = BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
spacing = BertNormalizer(clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False)
stripping = BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
splitting = BertPreTokenizer()


def kind(c):
    cleaned = cleaning.normalize_str("a" + c + "a")
    if cleaned == "aa":
        return "dropped"
    if cleaned == "a a":
        return "blank"
    if spacing.normalize_str(c) != c:
        return "ideograph"
    if stripping.normalize_str(c) == "":
        return "mark"
    if len(splitting.pre_tokenize_str("a" + c + "a")) == 3:
        return "punctuation"
    return "letter"


def main():
    last = None
    for point in range(0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        found = kind(chr(point))
        if found != last:
            print(f"{point:06x} {found}")
            last = found


main()
