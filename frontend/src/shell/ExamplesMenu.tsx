/** The menu of examples. Choosing one puts it in the editor; running it is another step. */
import type { Example } from "../net/api";
import { useRunView } from "../store/context";
import { edit } from "../store/running";
import type { RunView } from "../store/runview";
import { Menu } from "./Menu";

const FRAMEWORKS = { torch: "PyTorch", jax: "JAX" } as const;

export function ExamplesMenu({ examples }: { examples: readonly Example[] }) {
  const view = useRunView();
  return (
    <Menu label="Examples" name="Examples" class="bar-button">
      {(close) =>
        (["torch", "jax"] as const).map((framework) => (
          <div key={framework} role="group" aria-label={FRAMEWORKS[framework]}>
            <div class="menu-head" aria-hidden="true">
              {FRAMEWORKS[framework]}
            </div>
            {examples
              .filter((example) => example.framework === framework)
              .map((example) => (
                <button
                  key={example.name}
                  role="menuitem"
                  tabIndex={-1}
                  onClick={() => (take(view, example), close())}
                >
                  {example.title}
                </button>
              ))}
          </div>
        ))
      }
    </Menu>
  );
}

function take(view: RunView, example: Example): void {
  edit(view, example.source);
  view.navigation.show("source");
}
