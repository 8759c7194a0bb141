"""What names imply. A size is a letter in the texts of specs: f32[B,T,D] is batch, sequence,
features.

The names are those of the papers' own repositories and of both frameworks' tutorials: nanoGPT,
timm, Hugging Face Transformers, the PyTorch and JAX documentation. Sizes are chosen so that heads
divide features (D = H E), that a wrong axis shows (all differ), and that a call takes milliseconds
on one core.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

SIZES = {
    "B": 8, "T": 32, "D": 256, "N": 128, "H": 4, "E": 64, "V": 1000, "K": 10, "C": 16, "I": 32,
    "M": 512, "S": 16, "Q": 768,
}  # fmt: skip
_ANY = "B"

# Patterns of the names of dimensions, as jaxtyping's annotations and einsum's letters have them.
_DIMENSIONS: tuple[tuple[str, str], ...] = (
    (r"b|bs|n_?b|batch(_?size)?|n_?samples?", "B"),
    (r"(n_?)?heads?|h|nh|n_?kv_?heads?", "H"),
    (r"(d_?)?head_?dim|d_?(head|k|v)|hd|e", "E"),
    (
        r"t|s|l|q|k|i|j|n|(.*_)?(seq|len|length|seq_?len|time|tokens?|pos|context)|block_?size|ctx",
        "T",
    ),
    (r"(n_?)?vocab(_?size)?|v|n_?tokens", "V"),
    (r"(n_?|num_?)?(class(es)?|labels?|actions?)|out", "K"),
    (r"(.*_?)?(channels?|chans?|planes)|ch", "C"),
    (r"height|width|w|y|x|h_?in|w_?in|hw|n[xyz]", "I"),
    (r"(d_?)?state|(n_?)?states?", "S"),
    (r"edges?|n_?edges|hidden(_?dim)?|d_?ff|ff|mlp|m", "M"),
    (r"nodes?|n_?nodes|points?", "N"),
    (r"d|c|f|dim|d_?model|embed(ding)?(_?dim)?|feat(ures?)?|.*dim|.*size|.*features", "D"),
)

_HEIGHTS, _WIDTHS = ("h", "height"), ("w", "width")
_OF_IMAGES = {"h": SIZES["I"], "w": SIZES["I"], "c": SIZES["C"]}
# The sides of an image; in lower case, heads and weights have the same letters.
_SIDES = ("H", "W")
# The usual numbers for arguments with these names.
_NUMBERS: tuple[tuple[str, object], ...] = (
    (r"batch(_size)?|bs|(max|n|num)_(new_|gen(erated)?_)tokens|max_?gen(_len)?", 8),
    (r"(layer|block|head|stage|level|expert|stack|module)_?(id|idx|index|i)|(.*_)?(id|idx|index)|"
     r"start(_pos)?|offset|local_rank|seed", 0),
    (r"(global_?)?step|epoch|iteration|itr", 1),
    (r"(n|num|nb)_?(kv_?|q_?|attention_?)?heads?|heads?|h|nhead|n_?group(s)?|num_?groups?", 4),
    (r"(head_dim|dim_head|d_head|head_size|d_k|d_v|dim_key)", 64),
    (r"(n|num)_?(layers?|blocks?|hidden_layers|stages)|depth|layers|repeats?|n_?steps|steps|n_?iters?|"
     r"iterations|times", 2),
    (r"(n_?|num_?)?vocab(_?size)?|n_?tokens?|ntokens?|num_embeddings|num_tokens|vocabulary_size|"
     r"(src|tgt|input|output)_vocab(_size)?", 1000),
    (r"(n|num)_?(class(es)?|labels?|categories|actions?|outputs?)|nclass(es)?|tagset_?size|output_size|"
     r"out_classes|action_dim|act_dim|n_out|classes", 10),
    (r"max_?(seq_?)?(len|length|position(s|_embeddings)?|seq_?len(gth)?)|block_?size|context_?(len|length|size)"
     r"|seq(uence)?_?(len(gth)?|size)|ctx_?len|n_?ctx|t|length|max_t|window(_?size)?|horizon", 64),
    (r"(in|input|image|img|n)_?(chans?|channels?)|channels?_in|nc|c_?in|inchannels?", 3),
    (r"img_?size|image_?size|size|(.*_)?resolution|h|w|height|width|focal(_length)?", 32),
    (r"patch(_?size)?", 4),
    (r"(.*_)?group_?size", 64),
    (r"kernel(_?size)?|k_?size|ks", 3),
    (r"stride|dilation|groups|p|n|ndim|reduction_?ratio|r", 1),
    (r"pad(ding)?", 1),
    (r"k|top_?k|k_?top|n_?experts_?per_?tok(en)?|factor|ratio|expansion(_?factor)?|mult|upscale(_factor)?", 2),
    (r"(n|num)_?experts?", 4),
    (r"(n|num)_?(samples?|points?|nodes?)", 128),
    (r"dim|axis", -1),
    (r"(n_?|num_?)?(train_?|diffusion_?|inference_?)?time_?steps", 100),
    (r"(n|num)?_?(clusters?|centers|centroids|components|neighbou?rs?|bins|bands|freq(uencie)?s)", 8),
    (r"(n_?)?modes?\d?", 12),
    (r"reduction|squeeze(_?factor)?", 4),
    (r"order|degree|power|(n_?|num_?)?(levels?|splits|chunks|views|iters?|rounds)", 2),
    (r"(.*_)?(cost|penalty)", 0.25),
    (r"latent_?(dim|size)?|z_?dim|bottleneck(_?dim)?|d_?state|state_?dim|rank|lora_?rank|code_?dim|"
     r"(n_?|num_?)?(obs|observations?|states?)|obs_?(dim|size)|state_size|n_?mixtures?", 16),
    (r"hidden\d?(_?(dim|size|features|units|channels))?|d_?ff|ff_?dim|dim_?feedforward|mlp_?dim|d_?inner|"
     r"intermediate_?(size|dim)|inner_?dim|(n|num)_?hidden|d_?hidden|h_?dim|nhid|nhidden|ffn?_?dim", 512),
    (r"(out|output|base|mid|hidden)_?(chans?|channels?|planes|filters)|planes|channels?(_out)?|filters|"
     r"(n|num)_?filters|c_?out|ch|nf|ngf|ndf|in_?planes|in_?filters", 16),
    (r"dim\d?|d_?model|d|d_?(in|out)|.*(_|^)(dim|dims|features?|feats?|width|units|embd?)(\d|_in|_out)?|"
     r"embed(ding)?_?(dim|size)?|emb_?(dim|size)|n_?embd?|n_?(in|out|inp|input|features)|ninp|"
     r"(in|input|out|output|feature|model|query|key|value)_?(dim|size|features|feats)|width|"
     r"hidden_?size|num_?features|normalized_shape|c|f|n_?state", 256),
    (r"(.*_)?eps(ilon)?", 1e-5),
    (r"lr|(.*_)?learning_?rate|step_?size|dt", 1e-3),
    (r"d[xyz]", 0.1),
    (r"(.*_)?(dropout|drop|p_drop|drop_?prob|drop_?rate|drop_?path|rate|prob)", 0.1),
    (r"(.*_)?(temperature|temp|tau|scale|sigma(_\w)?|std|smooth(ing)?|max_norm|clip|theta)", 1.0),
    (r"(.*_)?(alpha|beta\d?|gamma|lam|lambd?a?_?|momentum|decay|weight_decay|coef(f|ficient)?|threshold|"
     r"margin|delta|mu|eta|discount|omega)", 0.5),
    (r"(is_?)?(causal|training|train|bias|affine|residual|norm(alize)?|inplace|use_.*|with_.*|"
     r"return_.*|keepdims?|.*_first|deterministic|flag)", True),
)  # fmt: skip

# The kinds of values that names suggest, each with the specs to try, likeliest first.
KINDS: dict[str, tuple[str, ...]] = {
    "features": (
        "f32[N,D]", "f32[B,T,D]", "f32[D]", "f32[D,D]", "f32[B,C,I,I]", "f32[B,H,T,E]", "i64[B,T]",
        "f32[N]", "f32[]", "f32[N,N]", "f32[B,N,N]", "i64[N]",
    ),
    "square": ("f32[D,D]", "f32[N,D]", "f32[D]", "f32[B,D,D]", "f32[D,S]", "f32[N,N]"),
    "sequence": ("f32[B,T,D]", "f32[N,D]", "f32[T,B,D]", "f32[B,D,I,I]"),
    "attention": ("f32[B,H,T,E]", "f32[B,T,D]", "f32[B,T,H,E]", "f32[T,D]", "f32[N,D]"),
    "weight": ("f32[D,D]", "f32[D]", "f32[C,C,3,3]", "f32[3,3,C,C]", "f32[C,C,3]", "f32[V,D]", "f32[E]"),
    "qkv": ("f32[D,Q]", "f32[Q,D]"),
    "bias": ("f32[D]", "f32[]", "f32[C]", "f32[N,D]", "f32[B,T,D]", "f32[E]", "f32[N]"),
    "table": ("f32[V,D]", "f32[T,D]", "f32[D,D]"),
    "ids": ("i64[B,T]", "i64[N]", "i64[T]", "i64[B]", "i64[1,T]", "i64[2,M]", "i64[]"),
    "edges": ("i64[2,M]", "i64[M,2]", "i64[M]"),
    "ends": ("i64[M]",),
    "labels": (
        "i64[N]", "i64[B,T]", "i64[B]", "f32[N,D]", "f32[N]", "f32[N,V]", "f32[B,T,D]", "i64[T]",
    ),
    "scores": ("f32[N,D]", "f32[B,T]", "f32[N]"),
    "logits": ("f32[N,V]", "f32[B,T,V]", "f32[N,D]", "f32[V]"),
    "mask": ("bool[T,T]", "bool[B,T]", "bool[N,D]", "bool[B,1,T,T]", "f32[T,T]", "bool[D]", "bool[B,I,I]"),
    "image": ("f32[B,3,I,I]", "f32[B,C,I,I]", "f32[B,1,I,I]", "f32[3,I,I]", "f32[I,I]", "f32[B,I,I,3]"),
    "channels_last": ("f32[B,I,I,C]", "f32[B,I,I,3]", "f32[B,I,C]"),
    "signal": ("f32[B,C,T]", "f32[B,1,T]", "f32[B,T]", "f32[T]"),
    "volume": ("f32[B,C,S,S,S]", "f32[B,1,S,S,S]"),
    "kernel2": ("f32[C,C,3,3]", "f32[C,3,3,3]", "f32[C,1,3,3]"),
    "kernel_last": ("f32[3,3,C,C]", "f32[3,C,C]", "f32[3,3,3,C]"),
    "time": ("i64[B]", "f32[B]", "f32[]", "f32[N]", "f32[N,1]", "f32[T]"),
    "rotary": ("f32[B,T,E]", "f32[T,E]", "f32[1,1,T,E]", "f32[T,16]", "f32[T,32]", "f32[B,H,T,E]"),
    "state": ("f32[N,D]", "f32[D]", "f32[B,D]", "f32[1,B,D]", "f32[N,M]"),
    "scalar": ("f32[]",),
    "key": ("u32[2]",),
    "place": ("i64[]", "i64[B]"),
    "each": ("f32[N]", "f32[B,T]", "f32[N,1]", "f32[N,D]", "f32[]"),
    "boxes": ("f32[N,4]", "f32[B,N,4]", "f32[4]"),
    "points": ("f32[N,3]", "f32[N,2]", "f32[3]", "f32[B,N,3]", "f32[N]"),
    "target": ("f32[N]", "i64[N]", "f32[N,D]", "f32[N,1]"),
    "colours": ("f32[N,T,3]", "f32[N,3]"),
    "densities": ("f32[N,T,1]", "f32[N,T]", "f32[N]"),
    "depths": ("f32[N,T]", "f32[N,T,1]", "f32[T]"),
    "prices": ("f32[N]", "f32[]"),
    "rate": ("f32[]", "f32[N]"),
    "lengths": ("i64[B,T]", "i64[B]", "i64[T]", "i64[N]"),
}  # fmt: skip

_NAMES: tuple[tuple[str, str], ...] = (
    (r"q|k|v|qs|ks|vs|query|keys?|values?|queries|xq|xk|xv|q_.*|k_.*|v_.*", "attention"),
    (r"(.*_)?(key|rng|prng_?key|rng_?key|subkey)", "key"),
    (r"edge_?index|edges", "edges"),
    (r"senders?|receivers?", "ends"),
    (r"(.*_)?(b?box(es)?|anchors?|rois?|priors)", "boxes"),
    (r"(.*_)?(encoder_out(put)?s?|enc_out(put)?s?|memory|context|hidden_states)", "sequence"),
    (r"(.*_)?(features|feats)", "features"),
    (r"(.*_)?(lengths|lens)", "lengths"),
    (r"(w_?qkv|qkv_?(w|weight|kernel|proj)|c_attn|in_proj(_weight)?)(_.*)?", "qkv"),
    (
        r"(.*_)?(ids?|idx|tokens?|ind(ex|ices|s)?|sentences?|words|text)|src|tgt|positions?|offsets?",
        "ids",
    ),
    (r"(.*_)?(labels?|targets?|classes|actions?|y_true)", "labels"),
    (r"(.*_)?logits", "logits"),
    (r"scores", "scores"),
    (r"(last|final|bootstrap)_val(ue)?s?", "scalar"),
    (
        r"(.*_)?(adv(antages?)?|returns?|rewards?|rews?|dones?|terminal(s|ed)?|log_?p(robs?|is?)?|values?"
        r"|advs|rets?|(log_)?rhos?|discounts|ratios?)",
        "each",
    ),
    (r"(.*_)?(masks?|key_padding_mask)", "mask"),
    (r"(.*_)?(imgs?|images?|pixels?|pixel_values|frames?|picture)", "image"),
    (r"(.*_)?(audio|waveform|signals?|wav)", "signal"),
    (r"ts?|(.*_)?(time|timesteps?|times)", "time"),
    (r"cos|sin|freqs(_.*)?|rope|rotary.*", "rotary"),
    (r"(.*_)?embeddings?(_.*)?|table|codebook|lut|wte|wpe|emb", "table"),
    (
        r"(.*_)?(bias|beta|gamma|scale|shift|offset)|b|betas|alphas(_\w+)?|sigmas|mu_\w|time_(mix|decay|first)(_\w)?",
        "bias",
    ),
    (r"(.*_)?(weights?|kernels?|filters?|proj|matrix)|w|wq|wk|wv|wo|w_.*|u", "weight"),
    (r"adj(acency)?|cov(ariance)?", "square"),
    (r"(.*_)?(state|hidden|carry|cell)|h|c|hx|cx|h_?prev|c_?prev|h0|c0", "state"),
)


_OF_POINTS = re.compile(r"(.*_)?(pos|positions?|vel|velocit(y|ies)|coords?|xyz|acc|forces?)\d?")
_OF_STOCKS = re.compile(r"S_?0?|s0|S_?t|spot|[Ss]tock_?[Pp]rice")
_OF_OPTIONS = re.compile(r"K|strike|T|r|sigma|vol(atility)?|tau|maturity|rate")
_OF_EACH = re.compile(r"(.*_)?(mass(es)?|charges?|radii)|m")
_OF_COLOURS = re.compile(r"(rgb|colou?r)s?")
_OF_DENSITIES = re.compile(r"(sigma|density|densitie)s?")
_OF_DEPTHS = re.compile(r"[zt]_?val(ue)?s|[zt]_?samples|deltas|dists")
_OF_RAYS = re.compile(r"(rays?_?)?(dirs?|directions|origins)|rays?_[od]|view_?dirs")
# What a name suggests beside another name; the first row that matches counts.
_BESIDE: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = (
    (re.compile("y"), re.compile("X"), "target"),
    (_OF_POINTS, _OF_EACH, "points"),
    (_OF_POINTS, re.compile(r"(.*_)?(vel|velocit(y|ies)|acc|forces?)\d?"), "points"),
    (re.compile(r"(.*_)?(vel|velocit(y|ies)|acc|forces?)"), _OF_POINTS, "points"),
    (_OF_EACH, _OF_POINTS, "each"),
    (re.compile(r"next_(val(ue)?|done|terminal)"), re.compile(r"values|rewards|dones"), "scalar"),
    (_OF_COLOURS, _OF_DENSITIES, "colours"),
    (_OF_DENSITIES, _OF_COLOURS, "densities"),
    (_OF_DEPTHS, _OF_COLOURS, "depths"),
    (_OF_RAYS, _OF_DEPTHS, "points"),
    (_OF_STOCKS, _OF_OPTIONS, "prices"),
    (_OF_OPTIONS, _OF_STOCKS, "rate"),
)


def size_of(name: str) -> int:
    """The size of a dimension of this name; for an unknown name, that of a batch."""
    if name.isdigit():
        return int(name)
    found = _first(_DIMENSIONS, name.lower().strip("_"))
    return SIZES[found or _ANY]


def sizes_of(names: Sequence[str]) -> tuple[int, ...]:
    """The sizes of dimensions that belong to one tensor: `h` beside `w` is a height, no heads."""
    lower = [name.lower().strip("_") for name in names]
    image = any(n in _HEIGHTS for n in lower) and any(n in _WIDTHS for n in lower)
    known = _OF_IMAGES if image else {}
    return tuple(known.get(n) or size_of(name) for n, name in zip(lower, names, strict=True))


_HYPER = re.compile(
    r"log_?(l|ls|v|n|s|ell|tau|eps|noise|length_?scales?|amp(litude)?|var(iance)?|signal|outputscale"
    r"|sigma|std)\w?|(length|out(put)?)_?scale|ls|ell|amplitude|signal_?var(iance)?|noise_?(var|std)\w*"
)


def is_hyperparameter(name: str) -> bool:
    """Whether a value with this name among parameters is a single number, such as the logarithm of
    a kernel's length scale."""
    return _HYPER.fullmatch(name) is not None


def number_of(name: str, beside: Iterable[str] = ()) -> int | float | bool | None:
    """The usual value of an argument of this name; None for an unknown name. `h` is a height where
    a width is `beside` it, else a count of heads."""
    is_height = name in _HEIGHTS and any(n in _WIDTHS for n in beside)
    side = name in _SIDES or is_height
    return SIZES["I"] if side else _first(_NUMBERS, name.lower().strip("_"))


def is_loss(name: str) -> bool:
    """Whether a callable with this name computes a loss."""
    return (
        re.fullmatch(r"(.*_)?(loss|criterion|objective|crit)(_?(fn|func|function))?", name)
        is not None
    )


def is_place(name: str) -> bool:
    """Whether a value with this name is a position in time, or a count: `cache.length`."""
    return (
        re.fullmatch(r"(.*_)?(pos|length|len|count|cursor)|(cur(rent)?|start)(_\w+)?", name)
        is not None
    )


def kind_of(name: str, beside: Iterable[str] | None = None) -> str | None:
    """The usual kind of tensor for an argument of this name; None for an unknown name. A single
    capital letter is a matrix. `beside` are the names of the other arguments, if they are known:
    keys and values beside each other are attention's, positions beside masses are in space, and
    what is learned about `X` is one number each."""
    beside = None if beside is None else tuple(beside)
    for pattern, others, among in _BESIDE if beside else ():
        if pattern.fullmatch(name) and any(map(others.fullmatch, beside or ())):
            return among
    kind = _kind_of(name)
    asked = beside is None or name[0] in "qx" or any(_kind_of(n) == kind for n in beside)
    return kind if kind != "attention" or asked else _first(_NAMES[1:], name.lower())


def _kind_of(name: str) -> str | None:
    plain = re.sub(r"_?\d+$", "", name.strip("_")) or name
    if len(plain) == 1 and plain.isupper() and plain not in "QKVB":
        return "square" if plain not in "WX" else _first(_NAMES, plain.lower())
    return _first(_NAMES, plain.lower())


def _first(table: tuple[tuple[str, Any], ...], name: str) -> Any:
    return next((found for pattern, found in table if re.fullmatch(pattern, name)), None)
