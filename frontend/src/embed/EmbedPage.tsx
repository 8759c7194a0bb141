/** A run in a frame of another page: some of its panes, and the way to all of it. */
import { useEffect } from "preact/hooks";
import { labelOf, type PaneInfo } from "../panes/registry";
import { SourceText } from "../panes/SourcePane";
import { ProgramBar } from "../shell/ProgramBar";
import { Logo } from "../shell/TopBar";
import { useMedia } from "../store/useMedia";
import { linkOf } from "../store/address";
import { shownOf } from "../store/choosing";
import { RunProvider } from "../store/context";
import type { RunView } from "../store/runview";

/** So many panes have room beside each other in a frame of so many pixels. */
const SIDE_BY_SIDE = 3;
const WIDE = "(min-width: 720px)";
const KEYS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

interface Props {
  view: RunView;
  panes: readonly PaneInfo[];
}

export function EmbedPage({ view, panes }: Props) {
  const isWide = useMedia(WIDE);
  const isBeside = isWide && panes.length <= SIDE_BY_SIDE;
  const name = view.program.value?.name ?? "Fuselab";
  useEffect(() => {
    document.title = `${name} · Fuselab`;
  }, [name]);
  return (
    <RunProvider value={view}>
      <header class="embed-bar">
        <h1>{name}</h1>
        <span class="spacer" />
        <a
          class="button"
          href={linkOf(view.run.value?.id ?? null, shownOf(view))}
          target="_blank"
          rel="noopener"
        >
          <Logo /> Open in Fuselab
        </a>
      </header>
      {view.complaint.value !== null && (
        <p class="note" role="alert">
          {view.complaint.value}
        </p>
      )}
      <main id="panes" class="workspace">
        <ProgramBar />
        {isBeside ? <Beside panes={panes} /> : <Tabbed view={view} panes={panes} />}
      </main>
    </RunProvider>
  );
}

function Beside({ panes }: Pick<Props, "panes">) {
  return (
    <div class="embed-panes">
      {panes.map((pane) => (
        <section key={pane.id} class="embed-pane" data-pane={pane.id} aria-label={pane.title}>
          <h2>{pane.title}</h2>
          <Content pane={pane} />
        </section>
      ))}
    </div>
  );
}

function Tabbed({ view, panes }: Props) {
  const { active } = view.navigation;
  const at = Math.max(
    0,
    panes.findIndex(({ id }) => id === active.value),
  );
  const shown = panes[at]!;
  const walk = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    const next = panes[(at + step + panes.length) % panes.length]!;
    active.value = next.id;
    document.getElementById(`embed-tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="phone-tabs embed-tabs" role="tablist" aria-label="Panes" onKeyDown={walk}>
        {panes.map((pane) => (
          <button
            key={pane.id}
            id={`embed-tab-${pane.id}`}
            role="tab"
            aria-selected={pane === shown}
            aria-controls="embed-panel"
            tabIndex={pane === shown ? 0 : -1}
            onClick={() => (active.value = pane.id)}
          >
            {labelOf(pane, view)}
          </button>
        ))}
      </div>
      <section
        id="embed-panel"
        class="embed-pane"
        role="tabpanel"
        data-pane={shown.id}
        aria-labelledby={`embed-tab-${shown.id}`}
      >
        <Content key={shown.id} pane={shown} />
      </section>
    </>
  );
}

/** Nothing is run here: of the source there is the text alone. */
const Content = ({ pane }: { pane: PaneInfo }) =>
  pane.id === "source" ? <SourceText /> : <pane.Component />;
