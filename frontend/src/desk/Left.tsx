/** Texts that were run, or had to make room for others: each can be put back. */
import { useEffect, useState } from "preact/hooks";
import { plural } from "../lib/format";
import { titleOfSource } from "../lib/title";
import { Icon } from "../panes/Icon";
import { useRunView } from "../store/context";
import { forget, history, recall, type Past } from "../store/history";
import { notify } from "../store/page";
import { edit } from "../store/running";
import { dayOf } from "./days";

export function Left({ close }: { close: () => void }) {
  const view = useRunView();
  const [seen, setSeen] = useState<Past | null>(null);
  useEffect(recall, []);
  const put = ({ text }: Past) => {
    edit(view, text);
    view.navigation.show("source");
    notify("Put back in the editor.");
    close();
  };
  if (history.value.length === 0)
    return <p class="note">Texts that you run, or put others in the place of, are kept here.</p>;
  return (
    <>
      <p class="faint">The last 30 texts, in this browser alone.</p>
      <ul class="desk-list">
        {history.value.map((past) => (
          <li key={past.text}>
            <div class="desk-row">
              <button
                class="desk-name quiet"
                aria-expanded={past === seen}
                onClick={() => setSeen(past === seen ? null : past)}
              >
                <code>{titleOfSource(past.text)}</code>
              </button>
              <span class="faint">
                {plural(past.text.trimEnd().split("\n").length, "line")} · {dayOf(past.at)}
              </span>
              <button class="bar-button" onClick={() => put(past)}>
                Put back
              </button>
              <button
                class="quiet"
                aria-label={`Forget ${titleOfSource(past.text)}`}
                onClick={() => forget(past)}
              >
                <Icon name="cross" />
              </button>
            </div>
            {past === seen && (
              <pre class="share-commands" tabIndex={0} role="region" aria-label="The text">
                {past.text}
              </pre>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
