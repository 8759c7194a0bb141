/** The panes on a narrow screen: one at a time, under a row of tabs. */
import { PANES } from "../panes/registry";
import { activePane, showPane } from "../store/navigation";

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function PhoneTabs() {
  const active = activePane.value;
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    const at = PANES.findIndex(({ id }) => id === active);
    const next = PANES[(at + step + PANES.length) % PANES.length]!;
    showPane(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div class="phone">
      <div class="phone-tabs" role="tablist" aria-label="Panes" onKeyDown={walk}>
        {PANES.map(({ id, title }) => (
          <button
            key={id}
            id={`tab-${id}`}
            role="tab"
            aria-selected={id === active}
            aria-controls={`pane-${id}`}
            tabIndex={id === active ? 0 : -1}
            onClick={() => showPane(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {/* The editor stays, hidden, so that going to another tab forgets nothing. */}
      {PANES.filter(({ id }) => id === active || id === "source").map(({ id, Component }) => (
        <section
          key={id}
          id={`pane-${id}`}
          class="phone-pane"
          role="tabpanel"
          aria-labelledby={`tab-${id}`}
          data-pane={id}
          tabIndex={-1}
          hidden={id !== active}
        >
          <Component />
        </section>
      ))}
    </div>
  );
}
