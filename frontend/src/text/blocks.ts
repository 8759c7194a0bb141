/** Equal blocks of a text that names its values: the layers of a model, line by line. */
import { FEWEST, runsOf, type Run } from "../lib/runs";

/** Languages that name each value once: `%12 = ...`. */
const NAMING: ReadonlySet<string> = new Set(["fuselab", "aten", "stablehlo"]);

const NAME = /%[\w.]+/g;

/** The lines, two and more, that come again and again but for the names of their values, which are other
 * names one for one. */
export function equalBlocks(lines: readonly string[], language: string): Run[] {
  if (!NAMING.has(language)) return [];
  const words = lines.map((line) => line.replace(NAME, "%"));
  const blocks = runsOf(words).filter(({ length }) => length > 1);
  return blocks.flatMap((run) => renamed(lines, run));
}

/** The parts of a run whose blocks have their values where their neighbours have them. */
function renamed(lines: readonly string[], { first, length, times }: Run): Run[] {
  const found: Run[] = [];
  let last: Run = { first, length, times: 1 };
  for (let block = 1; block <= times; block++) {
    const at = first + block * length;
    if (block < times && isRenamed(lines, at - length, at, length)) last.times += 1;
    else {
      if (last.times >= FEWEST) found.push(last);
      last = { first: at, length, times: 1 };
    }
  }
  return found;
}

function isRenamed(lines: readonly string[], a: number, b: number, length: number): boolean {
  const [there, back] = [new Map<string, string>(), new Map<string, string>()];
  for (let i = 0; i < length; i++) {
    const [left, right] = [namesIn(lines[a + i]!), namesIn(lines[b + i]!)];
    for (const [at, name] of left.entries())
      if (!agree(there, name, right[at]!) || !agree(back, right[at]!, name)) return false;
  }
  return true;
}

function agree(names: Map<string, string>, from: string, to: string): boolean {
  const known = names.get(from);
  if (known === undefined) names.set(from, to);
  return known === undefined || known === to;
}

const namesIn = (line: string): readonly string[] => line.match(NAME) ?? [];
