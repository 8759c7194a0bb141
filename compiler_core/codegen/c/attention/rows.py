"""Attention of few queries in C: a row at a time, in a loop over tiles of keys.

    query [d]    scores [key]    result [d]

A score is a sum along a key, the softmax goes along the scores, and each weight multiplies a value:
keys and values are read once, side by side as they are in memory.
"""

from compiler_core.codegen.c.attention.tiles import Tiles, index_type
from compiler_core.kernel.attention import DEPTH, KEY, is_plain


class Rows(Tiles):
    """Prints the function's body for a schedule that computes one query row at a time."""

    def run(self) -> None:
        softmax = self.whole.softmax
        with self._tiles_of_rows():
            self._begin()
            self._queries()
            with self._tiles_of_keys():
                self._multiply_keys()
                self._scores()
                self.w.line(
                    "float factor = row_softmax(scores, &top, &total, keys_here);",
                    {*softmax.top, *softmax.weight, *softmax.total},
                )
                self._add_values()
            self._result()

    def _begin(self) -> None:
        w, whole = self.w, self.whole
        w.line(f"{self.index} row = first;")
        w.line(f"float query[{whole.depth}], result[{whole.width}] = {{0}};")
        w.line(f"float scores[{self.tile}], top = -__builtin_inff(), total = 0;")

    def _queries(self) -> None:
        with self._along_depth(self.whole.depth):
            self._hand_on(self.whole.query, f"query[{DEPTH}]", {})

    def _multiply_keys(self) -> None:
        part = self.whole.key
        with self._braces("for (int j = 0; j < keys_here; j++)"):
            self.w.line(f"{index_type(part)} {KEY} = start + j;")
            self.w.line("float score = 0;", self.whole.scored)
            self.w.line("#pragma omp simd reduction(+ : score)")
            with self._braces(f"for (int {DEPTH} = 0; {DEPTH} < {self.whole.depth}; {DEPTH}++)"):
                key = self._value(part)
                self.w.line(f"score += {key} * query[{DEPTH}];", self.whole.scored)
            self.w.line("scores[j] = score;", self.whole.scored)

    def _scores(self) -> None:
        part = self.whole.score
        if is_plain(part):
            return
        self.w.line("#pragma omp simd")
        with self._braces("for (int j = 0; j < keys_here; j++)"):
            self.w.line(f"{index_type(part)} {KEY} = start + j;")
            self._hand_on(part, "scores[j]", dict.fromkeys(part.product, "scores[j]"))

    def _add_values(self) -> None:
        part, origins = self.whole.value, self.whole.summed
        with self._along_depth(self.whole.width):
            self.w.line(f"result[{DEPTH}] *= factor;", origins)
        with self._braces("for (int j = 0; j < keys_here; j++)"):
            self.w.line(f"{index_type(part)} {KEY} = start + j;")
            with self._along_depth(self.whole.width):
                self.w.line(f"result[{DEPTH}] += scores[j] * {self._value(part)};", origins)

    def _result(self) -> None:
        softmax = self.whole.softmax
        zero = "total == 0 ? 0 : " if softmax.zeroed else ""
        self.w.line(f"float share = {zero}1 / total;", softmax.share)
        with self._along_depth(self.whole.width):
            self._store(f"result[{DEPTH}] * share")
