/** The panes on a narrow screen: one at a time, under a row of tabs. */
import { labelOf, PANES } from "../panes/registry";
import { useRunView } from "../store/context";

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function PhoneTabs() {
  const view = useRunView();
  const { navigation, prefix } = view;
  const active = navigation.active.value;
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    const at = PANES.findIndex(({ id }) => id === active);
    const next = PANES[(at + step + PANES.length) % PANES.length]!;
    navigation.show(next.id);
    document.getElementById(`${prefix}-tab-${next.id}`)?.focus();
  };
  return (
    <div class="phone">
      <div class="phone-tabs" role="tablist" aria-label="Panes" onKeyDown={walk}>
        {PANES.map(({ id, ...pane }) => (
          <button
            key={id}
            id={`${prefix}-tab-${id}`}
            role="tab"
            aria-selected={id === active}
            aria-controls={`${prefix}-pane-${id}`}
            tabIndex={id === active ? 0 : -1}
            onClick={() => navigation.show(id)}
          >
            {labelOf({ id, ...pane }, view)}
          </button>
        ))}
      </div>
      {/* The editor stays, hidden, so that going to another tab forgets nothing. */}
      {PANES.filter(({ id }) => id === active || id === "source").map(({ id, Component }) => (
        <section
          key={id}
          id={`${prefix}-pane-${id}`}
          class="phone-pane"
          role="tabpanel"
          aria-labelledby={`${prefix}-tab-${id}`}
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
