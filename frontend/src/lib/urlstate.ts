/** What of the page's state is in the address: the run in the path, the view in the fragment. */

export interface View {
  program: number;
  /** The stage chosen by hand; null while the page follows the compilation. */
  stage: number | null;
  nodes: readonly number[];
  /** The graph chosen by hand; null for the whole program. */
  graph: string | null;
  /** The backend whose plan is shown; null for all. */
  plan: string | null;
}

export const START: View = { program: 0, stage: null, nodes: [], graph: null, plan: null };

/** The run's id in a path, or null on the front page. */
export function runOf(path: string): string | null {
  return /^\/r\/([A-Za-z0-9_-]+)\/?$/.exec(path)?.[1] ?? null;
}

export function pathOf(run: string | null): string {
  return run === null ? "/" : `/r/${run}`;
}

export function readView(fragment: string): View {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  return {
    program: wholeNumber(fields.get("program")) ?? START.program,
    stage: wholeNumber(fields.get("stage")),
    nodes: (fields.get("nodes") ?? "")
      .split(".")
      .map(wholeNumber)
      .filter((n) => n !== null),
    graph: fields.get("graph"),
    plan: fields.get("plan"),
  };
}

export function writeView(view: View): string {
  const fields = new URLSearchParams();
  if (view.program !== START.program) fields.set("program", String(view.program));
  if (view.stage !== null) fields.set("stage", String(view.stage));
  if (view.nodes.length > 0) fields.set("nodes", view.nodes.join("."));
  if (view.graph !== null) fields.set("graph", view.graph);
  if (view.plan !== null) fields.set("plan", view.plan);
  const text = fields.toString();
  return text === "" ? "" : `#${text}`;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
