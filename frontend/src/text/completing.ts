/**
 * What may be written next: the names of the frameworks' modules after a dot, after that of `self` what
 * the snippet's classes name and define, those of the frameworks' tensors after any other, and what is
 * imported. The snippet's other names and Python's come from its grammar.
 *
 * The names of the frameworks are a file of their own, which is fetched when the first dot is written.
 */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { importsOf, resolved } from "./imports";

type Names = Readonly<Record<string, Readonly<Record<string, string>>>>;

const TENSORS = { torch: "torch.Tensor", jax: "jax.Array" } as const;
/** The word that is written, and what stands before its dot. */
const DOTTED = /([A-Za-z_][\w.]*|[)\]])\.\w*$/;
const UNREADABLE = ["String", "FormatString", "Comment"];

let names: Promise<Names> | null = null;

/** Asked for again where it could not be had. */
const namesOf = (): Promise<Names> =>
  (names ??= import("./names.json")
    .then(({ default: found }) => found as Names)
    .catch((error: unknown) => {
      names = null;
      throw error;
    }));

export async function completing(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  if (UNREADABLE.includes(syntaxTree(state).resolveInner(pos, -1).name)) return null;
  const source = state.doc.toString();
  const imports = importsOf(source);
  const before = context.matchBefore(DOTTED);
  if (before) {
    const owner = before.text.slice(0, before.text.lastIndexOf("."));
    const from = before.from + owner.length + 1;
    if (owner === "self")
      return offered(ownMembers(source.slice(0, from) + source.slice(pos)), from);
    const found = await namesOf().catch(() => null);
    return found && offered(membersOf(owner, imports, found), from);
  }
  const word = context.matchBefore(/\w+$/);
  if (!word && !context.explicit) return null;
  const known = [...imports].map(([label, detail]): Completion => ({
    label,
    type: "namespace",
    detail: detail === label ? "" : detail,
  }));
  return offered(known, word?.from ?? pos);
}

const offered = (options: Completion[], from: number): CompletionResult | null =>
  options.length === 0 ? null : { from, options, validFor: /^\w*$/ };

const NAMED = /\bself\.(\w+)/g;
const DEFINED = /^[ \t]+(?:async\s+)?def\s+(\w+)\s*\(\s*self\b/gm;

/** What a snippet has after `self.` elsewhere, and its methods but those of Python's own protocols. */
function ownMembers(source: string): Completion[] {
  const found = (pattern: RegExp, type: string) =>
    [...source.matchAll(pattern)].map(([, label]) => [label!, type] as const);
  const members = new Map([...found(NAMED, "property"), ...found(DEFINED, "function")]);
  const own = [...members].filter(([label]) => !label.startsWith("__"));
  return own.map(([label, type]) => ({ label, type }));
}

/** Of a module its names and the modules within it; of anything else a tensor's. */
function membersOf(
  owner: string,
  imports: ReadonlyMap<string, string>,
  names: Names,
): Completion[] {
  const full = resolved(owner, imports);
  if (full !== null && (names[full] || full in TENSORS)) {
    const within = Object.keys(names).filter((name) => name.startsWith(`${full}.`));
    const modules = within
      .map((name) => name.slice(full.length + 1))
      .filter((n) => !n.includes("."));
    const isModule = (name: string) => !name.includes("Tensor") && name !== "Array";
    return [
      ...modules.filter(isModule).map((label): Completion => ({ label, type: "namespace" })),
      ...completions(names[full] ?? {}),
    ];
  }
  if (full !== null) return [];
  const roots = new Set([...imports.values()].map((name) => name.split(".")[0]!));
  const own = Object.entries(TENSORS).filter(([framework]) => roots.has(framework));
  return own.flatMap(([, tensor]) => completions(names[tensor] ?? {}));
}

const completions = (members: Readonly<Record<string, string>>): Completion[] =>
  Object.entries(members).map(([label, parameters]) => ({
    label,
    detail: parameters,
    type: parameters === "" ? "property" : /^[A-Z]/.test(label) ? "class" : "function",
  }));
