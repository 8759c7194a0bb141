/** What a person can do about a graph break, by the core's words for its reason: for breaks that nobody
 * who looked into TorchDynamo has explained, as where a run failed before that. */

const OUTSIDE = "Call it before or after the compiled function.";
const NUMBER = "Keep it a tensor, or set torch._dynamo.config.capture_scalar_outputs = True.";

/** In this order: the first that fits. */
const REMEDIES: readonly (readonly [said: RegExp, remedy: string])[] = [
  [/^print\(\)/, "Print outside of the compiled function."],
  [/which way to go/, "Choose by torch.where, or put both branches into torch.cond."],
  [/gets a number/, NUMBER],
  [
    /gets a list/,
    "Compute with the tensor itself, or call tolist() outside of the compiled function.",
  ],
  [/the gradient of a gradient/, "Take the inner gradient by torch.func.grad."],
  [/computed by autograd/, "Use torch.func.grad, which stays in the graph."],
  [/run by autograd/, "Compile the forward pass alone, and call backward() outside."],
  [/begins to record gradients/, "Call requires_grad_() on inputs, before the compiled function."],
  [
    /torch\.compiler\.disable/,
    "Remove the mark, or call it before or after the compiled function.",
  ],
  [/the snippet asks for a graph break/, "Remove the call."],
  [/shape of the result depends/, "Use torch.where, or a mask of a fixed shape."],
  [/bounds of a slice/, "Slice by Python integers, or select by torch.index_select."],
  [/a parameter is made/, "Make the parameter in the module's constructor."],
  [/backward hook/, "Leave the hook out, or run the module outside of the compiled function."],
  [/the comprehension/, "Write it as a loop, or make the list outside of the compiled function."],
  [/\(\) (in Python|runs in Python)|^torch runs .* in Python/, OUTSIDE],
];

/** The remedy of a break; blank where none is known. */
export const remedyOfBreak = (reason: string): string =>
  REMEDIES.find(([said]) => said.test(reason))?.[1] ?? "";
