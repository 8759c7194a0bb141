/** The middle of the front page: what this is, and examples to begin with. */
import { useRunView } from "../store/context";
import { examples } from "../store/page";
import { edit, start } from "../store/running";
import type { RunView } from "../store/runview";
import type { Example } from "../net/api";

export function Welcome() {
  return (
    <div class="pane scroll welcome">
      <h2>Paste a PyTorch or JAX function and see what a compiler does with it</h2>
      <p>
        Press <kbd>Ctrl</kbd>
        <kbd>Enter</kbd> to run what is in the editor. The captured graph, the IR before and after
        every pass, fusion with its reasons, Triton, C and PTX appear as they are made, then timings
        against eager. Click a line anywhere and its counterparts light up everywhere.
      </p>
      <div class="gallery">
        <Gallery title="PyTorch" framework="torch" />
        <Gallery title="JAX" framework="jax" />
      </div>
    </div>
  );
}

function Gallery({ title, framework }: { title: string; framework: Example["framework"] }) {
  const view = useRunView();
  const shown = examples.value.filter((example) => example.framework === framework);
  return (
    <section aria-label={`${title} examples`}>
      <h3>{title}</h3>
      <ul>
        {shown.map((example) => (
          <li key={example.name}>
            <button class="example" onClick={() => open(view, example)}>
              {example.title}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function open(view: RunView, { source }: Example): void {
  edit(view, source);
  void start(view);
}
