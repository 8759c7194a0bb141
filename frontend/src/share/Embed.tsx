/** A frame for another page, with the panes that are wanted. */
import { useState } from "preact/hooks";
import { PANES } from "../panes/registry";
import { useRunView } from "../store/context";
import { frame, frameOf, keeping } from "./outputs";
import { Copy, Field, Section } from "./Section";

const FIRST = ["source", "fusion"];
/** Those that need the rest of the page. */
const LEFT_OUT: readonly string[] = ["stages"];

export function Embed() {
  const view = useRunView();
  const [panes, setPanes] = useState<readonly string[]>(FIRST);
  const set = (id: string, on: boolean) => {
    const chosen = new Set(on ? [...panes, id] : panes.filter((other) => other !== id));
    setPanes(PANES.map((pane) => pane.id).filter((other) => chosen.has(other)));
  };
  return (
    <Section
      title="Embed"
      about={`A frame for another page: it shows these panes and what is chosen now, and runs nothing. ${keeping(view.run.value!)}`}
    >
      <fieldset class="share-panes">
        <legend class="unseen">Panes of the frame</legend>
        {PANES.filter(({ id }) => !LEFT_OUT.includes(id)).map(({ id, title }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={panes.includes(id)}
              disabled={panes.length === 1 && panes.includes(id)}
              onChange={(event) => set(id, event.currentTarget.checked)}
            />
            {title}
          </label>
        ))}
      </fieldset>
      <Field name="The frame" value={frameOf(view, panes)} />
      <Copy what="Frame" make={() => frame(view, panes)} />
    </Section>
  );
}
