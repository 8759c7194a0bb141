/** The environments that a run may name, each with versions of its own. */

/** `name` is blank for the workers' own, which a run has that names none. */
export interface Toolchain {
  name: string;
  versions: Record<string, string>;
}

/** Those of which a person is told; the others go with them. */
const NAMED = ["torch", "triton", "jax", "python"];

/** What each is called, by its name, in the order of the list: with the versions that are not the
 * same everywhere. One that was chosen and is gone is there all the same. */
export function titles(known: readonly Toolchain[], chosen: string): Record<string, string> {
  const differing = NAMED.filter((p) => new Set(known.map((t) => t.versions[p])).size > 1);
  const titled = known.map(({ name, versions }) => [
    name,
    [name || "main", versionsText(versions, differing.length > 0 ? differing : NAMED)].join(" · "),
  ]);
  const gone = known.some(({ name }) => name === chosen) ? [] : [[chosen, missing(chosen)]];
  return Object.fromEntries([...titled, ...gone]) as Record<string, string>;
}

/** Whether there is anything to choose. */
export const isChoice = (known: readonly Toolchain[], chosen: string): boolean =>
  chosen !== "" || known.length > 1;

/** The versions of the workers' own; blank before workers were asked. */
export const ownVersions = (known: readonly Toolchain[]): string =>
  versionsText(known.find(({ name }) => name === "")?.versions ?? {}, NAMED);

const versionsText = (versions: Record<string, string>, packages: readonly string[]): string =>
  packages
    .filter((name) => versions[name] !== undefined)
    .map((name) => `${name} ${versions[name]}`)
    .join(", ");

const missing = (name: string): string => (name === "" ? "main" : `${name} · no worker has it`);
