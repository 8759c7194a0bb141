/**
 * What operations of the texts mean, in a sentence each: StableHLO's, the tensor IR's (which has the
 * same names), Triton's, PTX's and SASS's, by the language that a text is written in.
 */

type Sentences = Readonly<Record<string, string>>;

/** The names are StableHLO's and the tensor IR's. */
const TENSORS: Sentences = {
  abs: "The absolute value of each element.",
  add: "The sum of two tensors of one shape, element by element; of bools, or.",
  and: "And of each pair of elements, bit by bit.",
  atan2: "The angle of the point (second, first) of each pair of elements.",
  bitcast_convert: "The same bits taken as elements of another type.",
  broadcast_in_dim:
    "The operand repeated along new dimensions; its own become those that `dimensions` names. It computes nothing.",
  case: "One of several regions, by an index.",
  ceil: "Each element rounded up to an integer.",
  clamp: "Each element, kept between a lower and an upper bound.",
  compare: "A bool for each pair of elements: EQ, NE, LT, LE, GT or GE.",
  concatenate: "Tensors one after the other along one dimension.",
  constant: "A tensor that is known when compiling.",
  convert: "Each element as another type: rounded to nearest, or cut to an integer.",
  convolution:
    "Products of a window of the operand with a kernel, summed, at each place of the window.",
  cosine: "The cosine of each element.",
  cumulative: "At each place what the elements up to there combine to.",
  divide: "The quotient of each pair of elements; of integers, rounded towards zero.",
  dot_general:
    "A product of tensors: summed over the contracting dimensions, for each index of the batch dimensions.",
  dynamic_slice: "A part of a tensor that begins where values say; kept inside the tensor.",
  dynamic_update_slice: "A tensor with a part of it replaced, which begins where values say.",
  erf: "The error function of each element: GELU is made of it.",
  exponential: "e to the power of each element.",
  exponential_minus_one: "e to the power of each element, less 1, exact near 0.",
  floor: "Each element rounded down to an integer.",
  gather: "Parts of a tensor, taken from where indices say.",
  iota: "The index along one dimension, at every element.",
  is_finite: "Whether each element is neither infinite nor NaN.",
  library_call: "A call of the framework's own kernel.",
  log: "The natural logarithm of each element.",
  log_plus_one: "The logarithm of 1 plus each element, exact near 0.",
  logistic: "1 / (1 + exp(-x)) of each element: the sigmoid.",
  maximum: "The larger of each pair of elements; NaN if either is.",
  minimum: "The smaller of each pair of elements; NaN if either is.",
  multiply: "The product of each pair of elements.",
  negate: "Each element with the other sign.",
  not: "Each bit of each element turned over.",
  or: "Or of each pair of elements, bit by bit.",
  pad: "A tensor with room added around and between its elements.",
  power: "Each element of the first to the power of that of the second.",
  reduce: "Elements combined along dimensions by a monoid: a sum, a maximum, ...",
  reduce_window: "Elements combined within a window, at each of its places: pooling.",
  remainder: "What is left of each element's division; its sign is the dividend's.",
  reshape: "The same elements in the same order in another shape. It computes nothing.",
  reverse: "The elements in the other order along dimensions.",
  rng_bit_generator: "Random bits from a state, and the next state.",
  round_nearest_afz: "Each element rounded to the nearest integer, halves away from zero.",
  round_nearest_even: "Each element rounded to the nearest integer, halves to the even one.",
  rsqrt: "1 / sqrt(x) of each element.",
  scan: "A region run once for each element along a dimension, carrying values on.",
  scatter: "A tensor with updates combined into it where indices say.",
  select: "Each element of the second where the first is true, else of the third.",
  shift_left: "Each element's bits moved up.",
  shift_right_arithmetic: "Each element's bits moved down, the sign kept.",
  shift_right_logical: "Each element's bits moved down, zeros from above.",
  sign: "-1, 0 or 1: the sign of each element.",
  sine: "The sine of each element.",
  slice:
    "A part of a tensor, with a start, a limit and a stride for each dimension. It computes nothing.",
  sort: "Tensors sorted together along a dimension, by the first.",
  sqrt: "The square root of each element.",
  subtract: "The difference of each pair of elements.",
  tan: "The tangent of each element.",
  tanh: "The hyperbolic tangent of each element.",
  top_k: "The largest elements of each row, and where they were.",
  transpose: "The dimensions in another order. It computes nothing.",
  while: "A region run as long as a condition holds, carrying values on.",
  xor: "Exclusive or of each pair of elements, bit by bit.",
};

const TRITON: Sentences = {
  "tl.arange": "The integers from start up to end, as a block; both powers of two apart.",
  "tl.atomic_add": "Adds to memory so that no other program's update is lost.",
  "tl.cdiv": "The quotient rounded up: how many blocks cover a size.",
  "tl.cumsum": "At each place the sum of the elements up to there.",
  "tl.dot": "The product of two blocks of matrices, on tensor cores where there are any.",
  "tl.exp": "e to the power of each element.",
  "tl.full": "A block of one value.",
  "tl.load": "Elements from memory; where the mask is false, `other`, and nothing is read.",
  "tl.log": "The natural logarithm of each element.",
  "tl.max": "The largest element along an axis of the block.",
  "tl.maximum": "The larger of each pair of elements.",
  "tl.min": "The smallest element along an axis of the block.",
  "tl.minimum": "The smaller of each pair of elements.",
  "tl.program_id": "Which of the grid's programs this one is, along an axis.",
  "tl.range": "A loop that the compiler may pipeline.",
  "tl.reduce": "Elements combined along an axis by a function of two.",
  "tl.associative_scan": "At each place what the elements up to there combine to.",
  "tl.sigmoid": "1 / (1 + exp(-x)) of each element.",
  "tl.sqrt": "The square root of each element.",
  "tl.store": "Writes elements to memory, where the mask is true.",
  "tl.sum": "The sum of the elements along an axis of the block.",
  "tl.where": "Elements of the second where the first is true, else of the third.",
  "tl.zeros": "A block of zeros.",
  "triton.jit":
    "The function is compiled for a GPU: one program of it runs for each point of the grid.",
};

const PTX: Sentences = {
  add: "Adds two registers.",
  and: "And of two registers, bit by bit.",
  bar: "Waits until all threads of the block are here.",
  bra: "Goes on at a label.",
  cp: "Copies asynchronously, from global to shared memory.",
  cvt: "Converts a register to another type.",
  div: "Divides two registers.",
  ex2: "2 to the power of a register, approximately, by the special function unit.",
  fma: "a * b + c with one rounding.",
  ld: "Loads from memory: of the space, the cache policy and the vector that follow.",
  lg2: "The logarithm to base 2, approximately.",
  mad: "a * b + c.",
  max: "The larger of two registers.",
  min: "The smaller of two registers.",
  mma: "A small matrix product by all threads of a warp, on a tensor core.",
  mov: "Copies a register, an address or a special register such as %tid.x.",
  mul: "Multiplies two registers.",
  neg: "The other sign.",
  or: "Or of two registers, bit by bit.",
  rcp: "1 / x, approximately.",
  ret: "Ends the function.",
  rsqrt: "1 / sqrt(x), approximately.",
  selp: "One of two registers, by a predicate.",
  setp: "Compares two registers and sets a predicate.",
  shfl: "Exchanges registers between the threads of a warp: reductions are made of it.",
  shl: "Moves bits up.",
  shr: "Moves bits down.",
  sqrt: "The square root.",
  st: "Stores to memory: of the space and the vector that follow.",
  sub: "Subtracts two registers.",
  tanh: "The hyperbolic tangent, approximately.",
  wgmma: "A matrix product by four warps together, from shared memory.",
  xor: "Exclusive or of two registers, bit by bit.",
};

const SASS: Sentences = {
  BAR: "Waits until all threads of the block are here.",
  BRA: "Goes on at another instruction.",
  EXIT: "Ends the thread.",
  FADD: "Adds two floats.",
  FFMA: "a * b + c of floats with one rounding.",
  FMNMX: "The smaller or larger of two floats.",
  FMUL: "Multiplies two floats.",
  FSEL: "One of two floats, by a predicate.",
  FSETP: "Compares two floats and sets a predicate.",
  HMMA: "A small matrix product of half-precision numbers on a tensor core.",
  IADD3: "Adds three integers.",
  IMAD: "a * b + c of integers; also copies registers.",
  ISETP: "Compares two integers and sets a predicate.",
  LDC: "Loads from constant memory: arguments are there.",
  LDG: "Loads from global memory.",
  LDGSTS: "Copies from global to shared memory, asynchronously.",
  LDS: "Loads from shared memory.",
  LOP3: "Any logical function of three registers, bit by bit.",
  MOV: "Copies a register.",
  MUFU: "The special function unit: exp2, log2, reciprocal, rsqrt, sine.",
  S2R: "Reads a special register, such as the thread's number.",
  SHF: "Moves the bits of two registers as one.",
  SHFL: "Exchanges registers between the threads of a warp.",
  STG: "Stores to global memory.",
  STS: "Stores to shared memory.",
  ULDC: "Loads from constant memory for all threads at once.",
};

const LANGUAGES: Readonly<Record<string, Sentences>> = {
  fuselab: TENSORS,
  stablehlo: TENSORS,
  mlir: TENSORS,
  python: TRITON,
  ptx: PTX,
  sass: SASS,
};

/** What a word of a text means; null where that is not known. The longest beginning counts, for
 * `ld.global.v4` is a load as `ld` is. */
export function meaningOf(language: string, word: string): { name: string; says: string } | null {
  const sentences = LANGUAGES[language];
  if (!sentences) return null;
  const plain = word.replace(/^(stablehlo|mhlo|chlo)\./, "");
  const parts = plain.split(".");
  for (let end = parts.length; end > 0; end--) {
    const name = parts.slice(0, end).join(".");
    if (Object.hasOwn(sentences, name)) return { name, says: sentences[name]! };
  }
  return null;
}
