/** What names stand for in a snippet, as far as its imports say: no more is parsed than these lines. */

const IMPORT = /^[ \t]*import[ \t]+(.+)$/gm;
const FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([^)#\n]*)/gm;
const AS = /^([\w.]+)(?:\s+as\s+(\w+))?$/;

/** By the name in the snippet the full name: F is torch.nn.functional. */
export function importsOf(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, list] of source.matchAll(IMPORT))
    for (const [name, alias] of entriesOf(list!)) {
      const root = name.split(".")[0]!;
      found.set(alias ?? root, alias ? name : root);
    }
  for (const [, module, list] of source.matchAll(FROM))
    for (const [name, alias] of entriesOf(list!)) found.set(alias ?? name, `${module}.${name}`);
  return found;
}

function entriesOf(list: string): [name: string, alias: string | undefined][] {
  return list.split(",").flatMap((part) => {
    const entry = AS.exec(part.replace(/#.*/, "").trim());
    return entry ? [[entry[1]!, entry[2]] as [string, string | undefined]] : [];
  });
}

/** The full name of a dotted one in the snippet; null of what is not imported. */
export function resolved(dotted: string, imports: ReadonlyMap<string, string>): string | null {
  const [first = "", ...rest] = dotted.split(".");
  const root = imports.get(first);
  return root === undefined ? null : [root, ...rest].join(".");
}
