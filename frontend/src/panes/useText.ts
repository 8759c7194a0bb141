/** An artifact with its text, which is fetched where the report is without it. */
import { useMemo } from "preact/hooks";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { COMING, fetched, retry, type Fetched } from "../store/texts";
import type { Artifact, StoredText } from "../wire";

export interface Looked {
  /** With its text and its line map once they are here; the same object then. */
  artifact: Artifact;
  /** Null once it is here. */
  missing: Exclude<Fetched, { state: "here" }> | null;
  again: () => void;
}

/** The text that an artifact's hash stands for, where it is not in the report. */
const awaited = (artifact: Artifact | null): StoredText | null =>
  artifact?.text === "" ? artifact.stored : null;

/** A text is asked for when it `isSeen`: panes behind others are drawn as well. `of` is the run that
 * it is of, if that is not the one around. */
export function useText(artifact: Artifact, isSeen: boolean, of?: RunView): Looked;
export function useText(artifact: Artifact | null, isSeen: boolean, of?: RunView): Looked | null;
export function useText(artifact: Artifact | null, isSeen: boolean, of?: RunView): Looked | null {
  const around = useRunView();
  const run = (of ?? around).run.value?.id ?? "";
  const stored = awaited(artifact);
  const entry = useMemo(
    () => (stored && isSeen ? fetched(run, stored) : null),
    [run, stored?.sha256, isSeen],
  );
  const now = stored ? (entry?.value ?? COMING) : null;
  const text = now?.state === "here" ? now.text : null;
  const filled = useMemo(
    () => (artifact && text ? { ...artifact, ...text } : artifact),
    [artifact, text],
  );
  if (!filled) return null;
  const missing = now === null || now.state === "here" ? null : now;
  return { artifact: filled, missing, again: () => stored && retry(run, stored) };
}
