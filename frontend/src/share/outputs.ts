/** What the sheet hands out: links, texts, a file. */
import { documentOf } from "../lib/document";
import { markdownOf } from "../lib/markdown";
import { packed } from "../lib/stateless";
import { writeView } from "../lib/urlstate";
import { getWhole, putCard, shareRun } from "../net/sharing";
import { linkOf } from "../store/address";
import { shownOf } from "../store/choosing";
import type { Current } from "../store/current";
import type { RunView } from "../store/runview";
import type { Report } from "../wire";
import { cardOf } from "./card";
import { fusionSvg } from "./drawing";

/** A text, or the sentence that says why there is none. */
export type Output = { ok: true; text: string; note: string } | { ok: false; error: string };

const here = (path: string): string => new URL(path, location.origin).href;

/** The link to what is shown now of the run. */
export const linkTo = (view: RunView): string =>
  here(linkOf(view.run.value?.id ?? null, shownOf(view)));

/** The same, kept for good, with a picture for chats beside it. */
export async function keptLink(view: RunView): Promise<Output> {
  const kept = await keep(view);
  return kept.ok ? { ...kept, text: linkTo(view) } : kept;
}

/** How long the run stays that is handed on. */
export function keeping({ shared, mine }: Current): string {
  if (shared) return "The run is kept for good.";
  if (mine) return "Copying it keeps the run for good.";
  return "It may go after 30 days: only who asked for the run can keep it.";
}

/** Keeps the run for good. Who has only its link cannot, but hands the link on. */
async function keep(view: RunView): Promise<Output> {
  const run = view.run.value!;
  if (!run.mine) return { ok: true, text: "", note: run.shared ? "" : keeping(run) };
  const answer = await shareRun(run.id);
  if (!answer.ok) return { ok: false, error: answer.error };
  if (!drawn.has(run.id)) void draw(run.id, view.report.value);
  view.run.value = { ...run, shared: true };
  return { ok: true, text: "", note: "" };
}

/** The runs whose picture this page has put. Whoever shared a run before may have gone while it was
 * being drawn. */
const drawn = new Set<string>();

/** Draws the picture beside the run's link. Without one that is shown by its words alone. */
export async function draw(id: string, report: Report): Promise<void> {
  const card = await cardOf(id, report).catch(() => null);
  if (card && (await putCard(id, card))) drawn.add(id);
}

export const statelessLink = async (view: RunView): Promise<string> =>
  here(`/${await packed({ source: view.written.value, options: view.options.value })}`);

/** A frame with these panes of the run, in the order in which they stand there. */
export async function frame(view: RunView, panes: readonly string[]): Promise<Output> {
  const kept = await keep(view);
  return kept.ok ? { ...kept, text: frameOf(view, panes) } : kept;
}

export function frameOf(view: RunView, panes: readonly string[]): string {
  const path = `/e/${view.run.value?.id ?? ""}?panes=${panes.join(",")}`;
  const address = here(path + writeView(shownOf(view)));
  const name = view.program.value?.name ?? "a snippet";
  return `<iframe src="${attribute(address)}" title="${attribute(`${name} in Fuselab`)}" width="100%" height="480" loading="lazy" style="border:1px solid #ccc"></iframe>`;
}

const attribute = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

export const markdown = (view: RunView): string =>
  markdownOf(view.report.value, view.run.value!.source, linkTo(view));

/** The run as one HTML file; `tell` is told what is being done. */
export async function file(view: RunView, tell: (doing: string) => void): Promise<Output> {
  const { id } = view.run.value!;
  tell("Fetching every text");
  const answer = await getWhole(id);
  if (!answer.ok) return { ok: false, error: answer.error };
  const { report, source } = answer.value;
  const drawings = new Map<number, string>();
  for (const [at, program] of report.programs.entries()) {
    tell(`Drawing ${program.name}`);
    const svg = await fusionSvg(id, program).catch(() => null);
    if (svg) drawings.set(at, svg);
  }
  const day = new Date().toLocaleDateString(undefined, { dateStyle: "long" });
  const text = documentOf({ report, source, link: linkTo(view), day, drawings });
  return { ok: true, text, note: "" };
}
