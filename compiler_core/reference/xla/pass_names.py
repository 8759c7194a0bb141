"""What XLA's passes and pipelines do, in a few words each, by the names under which XLA runs them.

The names of the CPU pipelines are those that jaxlib 0.10.2 runs; those for GPUs are the names in
XLA's sources (xla/service/gpu). An unknown name is shown without words.
"""

import re

_PIPELINES = {
    "async-collective": "communication between devices is made to run beside computation",
    "pre-spmd-partitioner": "what has to be gone before the program is divided among devices",
    "spmd-partitioner": "the program is divided among devices",
    "sharding-removal": "annotations for several devices are taken off a program for one",
    "SubbytePacker pipeline": "integers of fewer than 8 bits are packed",
    "HLO passes through layout assignment": "everything up to the choice of memory layouts",
    "simplification": "simplifies until nothing changes",
    "post_scatter_expansion_simplification": "simplifies what expanded scatters have left",
    "hlo normalization": "brings instructions to the forms that kernels are made of",
    "dot-library-passes": "gives products and reductions to a library",
    "HLO passes after layout assignment": "fusion, and what needs the layouts",
    "after layout assignment": "what follows the layouts at once",
    "simplification after layout assignment": "simplifies what fusion has left",
    "HLO passes after scheduling": "the instructions are in their final order",
    "copy-insertion": "copies values that would be overwritten too early",
    "scheduling": "the instructions get the order in which they run",
    "between pipelines": "changed by XLA outside of its passes",
}

_SIMPLER = {
    "algsimp": "algebraic rules: x*1, folded reshapes and transposes, division by a constant",
    "constant_folding": "computes what depends on constants alone",
    "cse": "equal instructions become one",
    "dce": "drops what nothing reads",
    "map-inline": "bodies of map become plain instructions",
    "call-inliner": "called functions are put where they are called",
    "flatten-call-graph": "a function that is called twice gets a copy for each call",
    "reshape-mover": "moves reshapes after the elementwise operations that follow",
    "simplify-conditional": "branches that are known, or empty, are resolved",
    "conditional-canonicalizer": "conditionals return tuples",
    "conditional-to-select": "cheap branches are both computed, and one is selected",
    "simplify-sorts": "drops what a sort carries along unread",
    "simplify-while-loops": "loops that run once or never, or carry what they do not change",
    "while-loop-constant-sinking": "constants are moved into loops",
    "while-loop-invariant-code-motion": "what is the same in every round is moved out of loops",
    "while-loop-trip-count-annotator": "notes how often loops run, where that is known",
    "small-while-loop-hoisting": "small loops are compiled into one kernel",
    "zero_sized_hlo_elimination": "arrays without elements are dropped",
    "tuple-simplifier": "a tuple made and taken apart again is dropped",
    "tree_reduction_rewriter": "a long reduction goes in two steps, for accuracy",
    "gather_simplifier": "gathers of whole slices become slices",
    "scatter_simplifier": "scatters get their simplest form",
    "dynamic-dimension-simplifier": "simplifies sizes that are known at run time alone",
    "dynamic-index-splitter": "an index vector becomes single indices",
    "dynamic_padder": "arrays whose size is known at run time alone get a fixed one",
    "transpose-folding": "a transpose is taken into the product that reads it",
    "batch-dot-simplification": "drops batch dimensions of size 1 from products",
    "dot_decomposer": "products get one batch, one row and one column dimension",
    "dot-merger": "products that share an operand become one",
    "dot-library-rewriter": "products and reductions become calls of a library (YNN)",
    "gemv-rewriter": "a product of matrix and vector becomes one of two matrices",
    "convolution-canonicalization": "convolutions get the order of dimensions of their kernel",
    "convolution-group-converter": "grouped convolutions become plain ones",
    "reduce-decomposer": "reductions get the layout of their kernel",
    "reshape-decomposer": "a reshape becomes a copy and one that moves nothing",
    "reduce-window-rewriter": "windows with long reductions are divided",
    "reduce-window-resizer": "windows over one dimension get a second one",
    "broadcast_canonicalizer": "broadcasts get their dimensions in order",
    "literal-canonicalizer": "equal constants share their memory",
    "shape-canonicalizer": "equal types share their memory",
    "associative-scan-rewriter": "recognises scans written as trees",
    "topk-rewriter": "a sort of which the first are kept becomes top-k",
    "control-dep-rewriter": "removes orders that nothing asks for",
    "cse_barrier_expander": "removes barriers that kept equal instructions apart",
    "optimization-barrier-expander": "removes barriers that kept passes apart",
    "propagate-call-metadata": "places in the source follow calls into what is called",
}

_EXPANDED = {
    "batchnorm_expander": "batch normalisation becomes elementwise work and reductions",
    "cholesky_expander": "Cholesky becomes loops",
    "eigh_expander": "eigenvalues become loops",
    "qr_expander": "QR becomes loops",
    "triangular_solve_expander": "solving triangular systems becomes loops and products",
    "gather_expander": "gathers that no kernel does become loops",
    "scatter_expander": "scatters that no kernel does become loops",
    "select_and_scatter_expander": "the gradient of max pooling becomes a scatter",
    "scan_expander": "scans become loops",
    "rng-expander": "random numbers become integer arithmetic",
    "rng-bit-generator-expander": "random bits become integer arithmetic",
    "comparison-expander": "total orders of floats become orders of integers",
    "logistic-expander": "the sigmoid becomes exp and a division",
    "bitcast_dtypes_expander": "casts between sizes of bits become shifts",
    "stochastic_convert_decomposer": "rounding at random becomes arithmetic",
    "topk-decomposer": "top-k becomes a sort where no kernel does it",
    "all_to_all_decomposer": "all-to-all goes over arrays of one rank",
    "real-imag-expander": "real and imaginary parts of reals are resolved",
    "operand_upcaster": "products of narrow types get wider operands",
    "result_caster": "products of narrow types get wider results",
    "change-op-data-type": "bf16 and f16 that the processor lacks are computed in f32",
    "all-reduce-promotion": "sums over devices of narrow types are computed in wider ones",
    "sub-byte-size-setter": "notes how narrow integers lie in memory",
}

_BACK = {
    "layout-assignment": "chooses for every array which dimension lies densest in memory, and "
    "copies where two neighbours disagree",
    "fusion": "puts instructions into one kernel, so that what is between them stays in registers",
    "fusion-wrapper": "an instruction left alone becomes a fusion of one",
    "cpu-parallel-task-assigner": "notes into how many parts each kernel is divided among threads",
    "adding_copies_to_resolve_interference": "copies where two values want one buffer at once",
    "removing_unnecessary_copies": "removes those of the copies that are not needed",
    "adding_special-case_copies": "copies for results that are inputs or constants",
    "optimize_input_output_buffer_alias": "results are written over donated inputs",
    "cpu-all-reduce-combiner": "small sums over devices become one",
    "async-collective-replacer": "communication is divided into a start and an end",
    "apply-xla-transforms": "changes that were asked for from outside",
    "batched_gather_scatter_normalizer": "gathers and scatters with batches become plain ones",
    "convert_async_collectives_to_sync": "communication that nothing overlaps is made plain again",
}

_MANY = {
    "shardy-xla": "Shardy decides how every array is divided among devices",
    "sharding-propagation": "spreads annotations of how arrays are divided",
    "sharding-remover": "takes annotations for several devices off",
    "sharding-format-picker": "chooses the notation of shardings",
    "spmd-partitioning": "each device gets its part of the program, with communication between",
    "strip-memory-placement-annotations": "takes off in which memory values are to lie",
    "all-gather-combiner": "several all-gathers become one",
    "all-reduce-combiner": "several all-reduces become one",
    "all-reduce-reassociate": "sums over devices are added before they are sent",
    "reduce-scatter-creator": "an all-reduce of which parts are kept becomes a reduce-scatter",
}

_GPU = {
    "priority-fusion": "fuses the pair that saves most time by XLA's cost model, again and again",
    "multi_output_fusion": "fusions that read the same become one with several results",
    "horizontal_fusion": "small kernels that do not depend on each other become one",
    "horizontal-loop-fusion": "small loops that do not depend on each other become one kernel",
    "horizontal-input-fusion": "reductions that do not depend on each other become one kernel",
    "fusion_merger": "a fusion is computed again in each that reads it, where that saves memory",
    "variadic-op-splitter": "concatenations of very many operands are divided",
    "gemm-rewriter": "products become calls of cuBLAS, with what follows where it can",
    "triton-gemm-rewriter": "products become kernels of Triton's",
    "gemm-algorithm-picker": "measures which of cuBLAS's algorithms is fastest",
    "gemm-fusion": "products and what is around them become one kernel",
    "gemm-fusion-autotuner": "measures tilings of products",
    "autotuner": "measures alternatives and keeps the fastest",
    "conv-rewriter": "convolutions become calls of cuDNN",
    "cudnn-fused-convolution-rewriter": "convolutions are called with bias and activation",
    "softmax-rewriter-triton": "softmax and normalisations become one kernel of Triton's",
    "reduction-layout-normalizer": "reductions get the layout of their kernels",
    "reduction-dimension-grouper": "neighbouring dimensions of a reduction become one",
    "reduction-splitter": "a reduction over dimensions apart goes in two steps",
    "gpu-tree-reduction-rewriter": "long reductions go in two steps, over more blocks",
    "command-buffer-scheduling": "neighbouring kernels become one CUDA graph",
    "latency-hiding-scheduler": "orders instructions so that communication overlaps",
    "stream-attribute-annotator": "notes which stream a kernel runs on",
    "copy-fusion": "copies are taken into the kernels before them",
    "sort-rewriter": "sorts become calls of CUB",
}

_ABOUT = _PIPELINES | _SIMPLER | _EXPANDED | _BACK | _MANY | _GPU
_NORMALIZATION = re.compile(r"float-normalization-(\w+)")


def about(name: str) -> str:
    """What a pass or a pipeline does; "" if that is not known. XLA has spaces in the names of
    pipelines, and underscores in those of files."""
    if narrow := _NORMALIZATION.fullmatch(name):
        return f"{narrow[1]}, where the processor lacks it, is computed in a wider type"
    return _ABOUT.get(name) or _ABOUT.get(name.replace("_", " "), "")
