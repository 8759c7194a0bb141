/** The panes on a small screen: one at a time, under a row of tabs that has room for all its names. */
import { LESSON } from "../lib/notes";
import { NoteAt, type NextNote } from "../panes/NoteAt";
import { labelOf, PANES, paneOf, type PaneInfo } from "../panes/registry";
import { useRunView } from "../store/context";
import type { RunView } from "../store/runview";
import { Menu } from "./Menu";

/** Those that have a tab; the others are under More. */
const TABS = ["source", "stages", "ir", "fusion", "triton", "why"].map((id) => paneOf(id)!);
const OTHERS = PANES.filter((pane) => !TABS.includes(pane));

const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function PhoneTabs() {
  const view = useRunView();
  const { navigation, prefix, run } = view;
  const active = navigation.active.value;
  return (
    <div class="phone">
      <div class="phone-tabs">
        <Tabs view={view} active={active} />
        <More view={view} active={active} />
      </div>
      {run.value === null && active === "source" && <Hello />}
      {/* The editor stays, hidden, so that going to another tab forgets nothing. */}
      {PANES.filter(({ id }) => id === active || id === "source").map((pane) => (
        <section
          key={pane.id}
          id={`${prefix}-pane-${pane.id}`}
          class="phone-pane"
          role="tabpanel"
          aria-label={pane.title}
          data-pane={pane.id}
          tabIndex={-1}
          hidden={pane.id !== active}
        >
          <pane.Component />
          <NoteAt at={placeOf(pane)} next={nextNote(view, pane)} />
          {pane.id === "source" && <NoteAt at={LESSON} />}
        </section>
      ))}
    </div>
  );
}

/** Where the note stands that a pane shows: the verdict is folded here. */
const placeOf = ({ id }: PaneInfo): string => (id === "stages" ? "verdict" : id);

/** The way on, where several panes have a note: only one of them is seen at a time. */
function nextNote({ notes, navigation }: RunView, pane: PaneInfo): NextNote | null {
  const noted = TABS.filter((tab) => notes.value.some(({ at }) => at === placeOf(tab)));
  const at = noted.indexOf(pane);
  if (at < 0 || noted.length < 2) return null;
  const next = noted[(at + 1) % noted.length]!;
  return {
    place: `${at + 1} of ${noted.length}`,
    title: next.title,
    go: () => navigation.show(next.id),
  };
}

interface Props {
  view: RunView;
  active: string;
}

function Tabs({ view, active }: Props) {
  const { navigation, prefix } = view;
  const at = TABS.findIndex(({ id }) => id === active);
  const idOf = ({ id }: PaneInfo) => `${prefix}-tab-${id}`;
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    const next = TABS[(at + step + TABS.length) % TABS.length]!;
    navigation.show(next.id);
    document.getElementById(idOf(next))?.focus();
  };
  return (
    <div class="phone-strip" role="tablist" aria-label="Panes" onKeyDown={walk}>
      {TABS.map((pane, index) => (
        <button
          key={pane.id}
          id={idOf(pane)}
          role="tab"
          aria-selected={index === at}
          aria-controls={index === at ? `${prefix}-pane-${pane.id}` : undefined}
          tabIndex={index === Math.max(0, at) ? 0 : -1}
          onClick={() => navigation.show(pane.id)}
        >
          {labelOf(pane, view)}
        </button>
      ))}
    </div>
  );
}

/** The button says which of the others is shown. */
function More({ view, active }: Props) {
  const shown = OTHERS.find(({ id }) => id === active);
  return (
    <Menu
      label={shown ? labelOf(shown, view) : "More"}
      name="More panes"
      class={shown ? "phone-more chosen" : "phone-more"}
    >
      {(close) =>
        OTHERS.map((pane) => (
          <button
            key={pane.id}
            role="menuitemradio"
            aria-checked={pane === shown}
            tabIndex={-1}
            onClick={() => (view.navigation.show(pane.id), close())}
          >
            {labelOf(pane, view)}
          </button>
        ))
      }
    </Menu>
  );
}

/** What this is, for who comes for the first time. */
function Hello() {
  return (
    <section class="hello" aria-label="About this page">
      <h2>See what a compiler does with a PyTorch or JAX function</h2>
      <p class="faint">
        Press Run. The captured graph, every pass, the fused kernels and their Triton come under
        these tabs as they are made; tap a line, and what became of it lights up under all of them.
      </p>
    </section>
  );
}
