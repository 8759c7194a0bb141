/** A file that a compiler wrote: to be kept, with nothing in it to read. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { contentOf, fileNameOf, sizeOf } from "../lib/files";
import { bytes } from "../lib/format";
import { download, notify } from "../store/page";
import type { Artifact, Stage } from "../wire";
import { Icon } from "./Icon";
import { Missing } from "./Missing";
import { useText } from "./useText";

interface Props {
  file: Artifact;
  stage: Stage;
  /** What stands in the pane's head. */
  children: ComponentChildren;
}

export function FileView({ file, stage, children }: Props) {
  const [wanted, setWanted] = useState(false);
  const looked = useText(file, wanted);
  const isHere = looked.missing === null;
  useEffect(() => {
    if (!wanted || !isHere) return;
    setWanted(false);
    keep(looked.artifact, stage.name);
  }, [wanted, isHere, looked.artifact]);
  return (
    <div class="pane">
      <div class="pane-head">{children}</div>
      <div class="file">
        <p>{stage.summary}</p>
        <button disabled={wanted && isHere} onClick={() => setWanted(true)}>
          <Icon name="download" /> Download {file.name} ({bytes(sizeOf(file))})
        </button>
        {wanted && <Missing looked={looked} />}
      </div>
    </div>
  );
}

/** Hands an artifact to the browser as a file. */
export function keep(artifact: Artifact, stage: string): void {
  const content = contentOf(artifact);
  if (content === null) notify(artifact.text);
  else download(fileNameOf(artifact, stage), content);
}
