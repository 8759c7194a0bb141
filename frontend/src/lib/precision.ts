/** The errors that kernels bring, as a person reads them: how large, and which are the largest. */
import type { ErrorSize, Kernel, KernelError } from "../wire";
import { digits, group, isOfNothing, plural, relativeError, scientific } from "./format";

/** What errors are ordered by: the relative error, of a sum relative to its terms; what is no number
 * is the worst. */
export const severity = ({ max_rel, of_terms }: ErrorSize): number =>
  max_rel === null ? Infinity : Math.min(max_rel, of_terms ?? max_rel);

/** What is said of a sum whose terms cancel to less than a thousandth of them; blank of any other. */
export function cancelled(size: ErrorSize): string {
  const { max_rel } = size;
  if (max_rel === null || severity(size) * 1e3 >= max_rel) return "";
  return `the sum cancels: ${scientific(severity(size))} of its terms`;
}

/** Whether an error has no units: one of integers and bools, of which a count differs. */
const isCounted = ({ max_rel, got }: ErrorSize): boolean => max_rel === null && got !== null;

/** An error as a short text: "0", "3.2e-5", "12 differ"; a dash where there is none to tell. */
export function relative(size: ErrorSize | null): string {
  if (size === null) return "–";
  if (isCounted(size)) return `${group(size.differing)} differ`;
  return relativeError(size.max_rel);
}

/** The same in units in the last place; blank where it has none, or is exact. */
export function ulps({ max_ulps, max_rel }: ErrorSize): string {
  if (max_ulps === null || max_ulps === 0 || isOfNothing(max_rel)) return "";
  return `${max_ulps >= 1e6 ? scientific(max_ulps) : digits(max_ulps)}\u00a0ulp`;
}

/** Where an error is the largest: "[4, 17]"; blank for a single number and for what is exact. */
export function place({ index }: ErrorSize): string {
  return index.length > 0 ? `[${index.join(", ")}]` : "";
}

/** The errors, the largest that is brought first; as many as are asked for. */
export function worstFirst(errors: readonly KernelError[]): KernelError[] {
  return [...errors].sort((a, b) => severity(b.own) - severity(a.own) || 0);
}

/** The largest error that a kernel brings; null where none of its values was looked at. */
export function broughtBy(
  { id, graph, backend }: Kernel,
  errors: readonly KernelError[],
): ErrorSize | null {
  const own = errors.filter(
    (e) => e.kernel === id && e.graph === graph && [e.backend, ""].includes(backend),
  );
  return worstFirst(own)[0]?.own ?? null;
}

/** The one of several kernels that brings the largest error; null where none was looked at. */
export function worstOf(
  kernels: readonly Kernel[],
  errors: readonly KernelError[],
): { kernel: Kernel; size: ErrorSize } | null {
  const found = kernels.flatMap((kernel) => {
    const size = broughtBy(kernel, errors);
    return size === null ? [] : [{ kernel, size }];
  });
  return found.sort((a, b) => severity(b.size) - severity(a.size) || 0)[0] ?? null;
}

/** Below it, relative to 1, an error is none to a person: float32's own rounding is above. */
const LEAST = 1e-9;

/** How much of a bar an error takes: none where it is exact, all where nothing is left of the
 * number; ten times as large is one more ninth. */
export function share(size: ErrorSize): number {
  const error = severity(size);
  if (error === 0) return 0;
  return Math.min(1, Math.max(0.04, Math.log10(error / LEAST) / -Math.log10(LEAST)));
}

/** An error in a sentence. */
export function errorText(size: ErrorSize): string {
  if (size.differing === 0 && severity(size) === 0) return "exact";
  if (isCounted(size)) return `${plural(size.differing, "element")} differ`;
  if (size.max_rel === null) return `an infinity or a NaN in ${plural(size.differing, "element")}`;
  const cause = cancelled(size);
  return `a relative error of ${relative(size)}, ${cause || ulps(size)}`;
}
