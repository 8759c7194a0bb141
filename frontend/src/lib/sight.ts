/** The pane that a person looks at, how far it is scrolled, and how often they went to the panes, as the
 * place of a leader says it. */

export interface Sight {
  pane: string;
  /** Of a text the first line in sight, from 1; of what is no text how far it is scrolled, of 1. */
  top: { line: number } | { share: number } | null;
  /** Which of the pane's texts was chosen; null for the one that it shows by itself. */
  text: string | null;
}

/** The how many-th time it is that a person went to the panes, and whether to show them to all who follow. */
export interface Going {
  times: number;
  isShown: boolean;
}

const FIELDS = ["at", "text", "went", "shown"] as const;
const THOUSAND = 1000;

/** A place with what is looked at there, and how its person came there. */
export function withSight(place: string, sight: Sight | null, { times, isShown }: Going): string {
  const [path, fragment] = parted(place);
  if (sight !== null) fragment.set("at", sight.pane + topOf(sight));
  if (sight !== null && sight.text !== null) fragment.set("text", sight.text);
  if (times > 0) fragment.set(isShown ? "shown" : "went", String(times));
  return joined(path, fragment);
}

export interface Parsed {
  /** The place alone. */
  bare: string;
  sight: Sight | null;
  going: Going;
}

/** What a place says. */
export function parseSight(place: string): Parsed {
  const [path, fragment] = parted(place);
  const [at, text, went, shown] = FIELDS.map((field) => fragment.get(field));
  FIELDS.forEach((field) => fragment.delete(field));
  const sight = readSight(at ?? "", text ?? null);
  const times = Number(/^\d{1,9}$/.exec(shown ?? went ?? "")?.[0] ?? 0);
  return { bare: joined(path, fragment), sight, going: { times, isShown: shown != null } };
}

function readSight(at: string, text: string | null): Sight | null {
  const found = /^([a-z]+)(?:\.(s?)(\d{1,9}))?$/.exec(at);
  if (!found) return null;
  const [, pane, isShare, number] = found;
  return { pane: pane!, top: readTop(isShare === "s", number), text };
}

const joined = (path: string, fragment: URLSearchParams): string =>
  fragment.size > 0 ? `${path}#${fragment}` : path;

function parted(place: string): readonly [path: string, fragment: URLSearchParams] {
  const [path, fragment] = place.split("#");
  return [path!, new URLSearchParams(fragment ?? "")];
}

function topOf({ top }: Sight): string {
  if (top === null) return "";
  return "line" in top ? `.${top.line}` : `.s${Math.round(top.share * THOUSAND)}`;
}

function readTop(isShare: boolean, number: string | undefined): Sight["top"] {
  if (number === undefined) return null;
  return isShare ? { share: Number(number) / THOUSAND } : { line: Number(number) };
}
