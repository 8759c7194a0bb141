/** The middle of the page while there is no run: the chapters of the gallery. */
import { useEffect, useState } from "preact/hooks";
import { useRunView } from "../store/context";
import { openExample } from "../store/examples";
import { examples, galleryAt, loadExamples } from "../store/page";
import { Chapters } from "./Chapters";
import { RunIt } from "./RunIt";

export function Welcome() {
  const view = useRunView();
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    if (examples.value.length === 0) void loadExamples().then(setProblem);
  }, []);
  return (
    <div class="pane scroll welcome">
      <h2>See what a compiler does with a PyTorch or JAX function</h2>
      <p>
        Press <kbd>Ctrl</kbd>
        <kbd>Enter</kbd> to run what is in the editor, or begin with an example.{" "}
        <button class="link" onClick={() => (galleryAt.value = "")}>
          Search them
        </button>
      </p>
      <p class="do">
        <RunIt />
      </p>
      {problem !== null && <p class="bad">{problem}</p>}
      <Chapters
        examples={examples.value}
        at=""
        onLook={({ name }) => (galleryAt.value = name)}
        onOpen={(example) => openExample(view, example)}
      />
    </div>
  );
}
