"""A compiler for tests, as compiler_core/extras/inside/serve.py runs one: it knows numpy alone."""

import os
import sys
import time

import numpy as np


class Compiler:
    def compile(self, text, **options):
        if text == "refuse":
            raise ValueError("module.mlir:3:5: error: no such operation\nsee the manual")
        if text == "die":
            sys.stderr.write("the disk is full\n")
            sys.stderr.flush()
            os._exit(3)
        if text == "hang":
            time.sleep(60)
        if text == "flood":
            return "x" * (1 << 22)
        sys.stdout.write("chatter on standard output\n")
        return {"text": text, **options}

    def about(self):
        return "doubling"

    def arguments(self, arrays):
        return arrays

    def call(self, arguments):
        return [x + x for x in arguments]

    def arrays(self, outputs):
        return [np.asarray(x) for x in outputs]
