/** The snippet, an issue's text, and a file with everything. */
import { useState } from "preact/hooks";
import { sourceName } from "../lib/files";
import { useRunView } from "../store/context";
import { download } from "../store/page";
import { file, markdown } from "./outputs";
import { Act, Copy, fileName, Section, useSay } from "./Section";

const text = (content: string) => ({ ok: true, text: content, note: "" }) as const;

export function Files() {
  const isRun = useRunView().run.value !== null;
  return (
    <>
      <Source />
      {isRun && <Markdown />}
      {isRun && <Whole />}
    </>
  );
}

function Source() {
  const view = useRunView();
  const run = view.run.value;
  return (
    <Section title="Source" about="The text in the editor.">
      <Copy what="Source" make={async () => text(view.written.value)} />
      <Act
        icon="download"
        label="Download the source"
        onClick={() => download(sourceName(fileName(view), view.written.value), view.written.value)}
      >
        Download
      </Act>
      {run && (
        <a class="button bar-button" href={`/api/v1/runs/${run.id}/source`} target="_blank">
          Raw, as it was run
        </a>
      )}
    </Section>
  );
}

function Markdown() {
  const view = useRunView();
  return (
    <Section
      title="Markdown"
      about="For an issue: the link, what it came to, kernels, reasons, the snippet and all versions."
    >
      <Copy what="Markdown" make={async () => text(markdown(view))} />
    </Section>
  );
}

function Whole() {
  const view = useRunView();
  const say = useSay();
  const [isMaking, setMaking] = useState(false);
  const make = async () => {
    setMaking(true);
    const made = await file(view, say);
    setMaking(false);
    if (!made.ok) return say(made.error);
    download(`${fileName(view)}.html`, made.text);
    say("File made.");
  };
  return (
    <Section
      title="One file"
      about="The run as a page of its own with every text, table and fusion graph: opens from a disk, without a network."
    >
      <Act
        icon="download"
        label="Download HTML, one file"
        disabled={isMaking || view.busy.value}
        onClick={() => void make()}
      >
        Download HTML
      </Act>
    </Section>
  );
}
