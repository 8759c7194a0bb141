/** The same from a shell. */
import { readCommands, runCommand } from "../lib/curl";
import { useRunView } from "../store/context";
import { Copy, Section } from "./Section";

export function Commands() {
  const view = useRunView();
  const run = view.run.value;
  const asked = runCommand(location.origin, view.written.value, view.options.value);
  const read = run ? readCommands(location.origin, run.id) : [];
  const text = [
    "# run it; the answer has its id",
    asked,
    ...read.flatMap(({ does, command }) => [`# ${does}`, command]),
  ].join("\n");
  return (
    <Section
      title="From a terminal"
      about="The same over HTTP. Everything that the page does is in the API."
    >
      <pre class="share-commands" tabIndex={0} role="region" aria-label="Commands">
        {text}
      </pre>
      <Copy what="Commands" make={async () => ({ ok: true, text, note: "" })} />
      <a class="button bar-button" href="/api/v1/docs" target="_blank">
        The API
      </a>
    </Section>
  );
}
