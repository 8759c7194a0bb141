/** The pane that a person looks at, and how far it is scrolled, as the place of a leader says it. */

export interface Sight {
  pane: string;
  /** Of a text the first line in sight, from 1; of what is no text how far it is scrolled, of 1. */
  top: { line: number } | { share: number } | null;
  /** Which of the pane's texts was chosen; null for the one that it shows by itself. */
  text: string | null;
}

const FIELDS = ["at", "text"] as const;
const THOUSAND = 1000;

/** A place with what is looked at there. */
export function withSight(place: string, sight: Sight | null): string {
  if (sight === null) return place;
  const [path, fragment] = parted(place);
  fragment.set("at", sight.pane + topOf(sight));
  if (sight.text !== null) fragment.set("text", sight.text);
  return `${path}#${fragment}`;
}

/** A place without it, and what is looked at there. */
export function parseSight(place: string): readonly [place: string, sight: Sight | null] {
  const [path, fragment] = parted(place);
  const [at, text] = FIELDS.map((field) => fragment.get(field));
  FIELDS.forEach((field) => fragment.delete(field));
  const bare = fragment.size > 0 ? `${path}#${fragment}` : path;
  const found = /^([a-z]+)(?:\.(s?)(\d{1,9}))?$/.exec(at ?? "");
  if (!found) return [bare, null];
  const [, pane, isShare, number] = found;
  return [bare, { pane: pane!, top: readTop(isShare === "s", number), text: text ?? null }];
}

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
