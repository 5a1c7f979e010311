#!/usr/bin/env python3
"""What the held-out text costs a model that counts, in nats a character: the interpolated 5-gram of the training text, smoothed as Kneser and Ney do (with the
three discounts of Chen and Goodman) and as Witten and Bell do.

usage: ngram.py FOLDER [ORDER]    FOLDER has train.txt and held-out.txt, as make-text.py makes them
"""
import collections
import math
import os
import sys

CHARACTERS = 128  # before anything is counted each is as likely


class NGram:
    """A character's probability behind a context: of each order by its counts, interpolated with that of the order below."""

    def __init__(self, text, order, kneserNey):
        self.order, self.kneserNey = order, kneserNey
        self.counts = [collections.Counter(text[i:i + n + 1] for i in range(len(text) - n)) for n in range(order)]
        if kneserNey:  # below the highest order not how often a gram is there counts, but behind how many different characters
            for n in range(order - 1):
                self.counts[n] = collections.Counter(gram[1:] for gram in self.counts[n + 1])
        self.discounts, self.totals, self.rest = [], [], []
        for counts in self.counts:
            often = collections.Counter(counts.values())
            y = often[1] / max(1, often[1] + 2 * often[2])
            self.discounts.append([0.0] + [k - (k + 1) * y * often[k + 1] / often[k] if often[k] else 0.0 for k in (1, 2, 3)])
            totals, rest = collections.Counter(), collections.Counter()
            for gram, count in counts.items():
                totals[gram[:-1]] += count
                rest[gram[:-1]] += self.discounts[-1][min(count, 3)] if kneserNey else 1
            self.totals.append(totals)
            self.rest.append(rest)

    def probability(self, context, character):
        p = 1 / CHARACTERS
        for n in range(min(self.order, len(context) + 1)):
            history = context[len(context) - n:]
            total, rest = self.totals[n][history], self.rest[n][history]
            if not total:
                break
            count = self.counts[n][history + character]
            if self.kneserNey:
                p = (count - self.discounts[n][min(count, 3)] + rest * p) / total
            else:
                p = (count + rest * p) / (total + rest)
        return p

    def nats(self, text):
        return -math.fsum(math.log(self.probability(text[max(0, i - self.order + 1):i], text[i])) for i in range(len(text))) / len(text)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    train, heldOut = (open(os.path.join(sys.argv[1], name), encoding="ascii").read() for name in ("train.txt", "held-out.txt"))
    order = int(sys.argv[2]) if len(sys.argv) == 3 else 5
    for name, kneserNey in ("Kneser-Ney", True), ("Witten-Bell", False):
        print(f"{order}-gram, {name}: {NGram(train, order, kneserNey).nats(heldOut):.4f} nats")


if __name__ == "__main__":
    main()
