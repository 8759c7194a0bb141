/** One text of both runs as a difference, A before and B after; the snippet is one of them. */
import { useState } from "preact/hooks";
import { allTexts, type Shown } from "../lib/artifacts";
import { sourceLanguage } from "../lib/files";
import { groupBy } from "../lib/group";
import { paired, type TextPair } from "../lib/pairs";
import { TextView } from "../panes/parts";
import { RunProvider } from "../store/context";
import type { RunView } from "../store/runview";
import type { Artifact, Stage } from "../wire";
import type { Two } from "./ComparePage";

interface Props extends Two {
  /** The name of a stage whose texts were asked for. */
  wanted: string | null;
}

export function TextsPane({ a, b, wanted }: Props) {
  const [key, setKey] = useState<string | null>(null);
  const pairs = [snippets(a, b), ...paired(textsOf(a), textsOf(b))];
  const asked = pairs.find((pair) => pair.differ && nameOf(pair) === wanted);
  const shown =
    pairs.find((pair) => pair.key === key) ??
    asked ??
    pairs.find(({ differ }) => differ) ??
    pairs[0]!;
  const chooser = (
    <select
      aria-label="Which text"
      value={shown.key}
      onChange={(event) => setKey(event.currentTarget.value)}
    >
      {[...groupBy(pairs, ({ differ }) => differ)].map(([differ, group]) => (
        <optgroup key={String(differ)} label={differ ? "Differ" : "The same"}>
          {group.map(({ key: each, label }) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
  const [view, one] = shown.b ? [b, shown.b] : [a, shown.a!];
  const before = shown.b ? shown.a : null;
  return (
    <RunProvider key={shown.key} value={view}>
      <div class="pane" data-pane="texts">
        <TextView
          pane="texts"
          label={shown.label}
          after={one.artifact}
          place={one.stage}
          before={before?.artifact ?? null}
          other={before ? { view: a, place: before.stage } : undefined}
        >
          {chooser}
          {(shown.a === null || shown.b === null) && (
            <span class="tag">only in {shown.a === null ? "B" : "A"}</span>
          )}
        </TextView>
      </div>
    </RunProvider>
  );
}

const textsOf = ({ stages }: RunView): readonly Shown[] => allTexts(stages.value);

/** A stage as a comparison names it. */
function nameOf({ a, b }: TextPair): string {
  const { backend, compiler, graph, name } = (a ?? b)!.stage;
  return [backend, compiler, graph === "whole" ? "" : graph, name].filter(Boolean).join(" ");
}

/** The snippets of both, each line with the operations that were captured at it. */
function snippets(a: RunView, b: RunView): TextPair {
  const of = (view: RunView): Shown => {
    const { source } = view.report.value.snippet;
    const artifact: Artifact = {
      name: "snippet",
      kind: "snippet",
      language: sourceLanguage(source),
      text: source,
      nodes: view.sourceLines.value.map((ids) => [...ids]),
      kernel: null,
      stored: null,
    };
    return { key: "snippet", label: "snippet", stage: SNIPPET, artifact };
  };
  const [one, other] = [of(a), of(b)];
  const differ = one.artifact.text !== other.artifact.text;
  return { key: "snippet", label: "snippet", a: one, b: other, differ };
}

/** The text that everything begins with is of no stage. */
const SNIPPET: Stage = {
  name: "snippet",
  status: "ok",
  ms: 0,
  artifacts: [],
  kind: "snippet",
  changed: true,
  summary: "",
  rewrites: [],
  graph: "whole",
  backend: "",
  compiler: "",
  parent: "",
  tables: [],
  placement: null,
  added: null,
  removed: null,
};
