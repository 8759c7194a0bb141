/** The page: a bar, the program's verdict, and the panes as a dock or, on a phone, as tabs. */
import type { Config } from "../config";
import { partsOf } from "../lib/graphs";
import { LESSON } from "../lib/notes";
import { NoteAt } from "../panes/NoteAt";
import {
  Deck,
  DeskSheet,
  Exercises,
  Gallery,
  GraphBar,
  Help,
  InputsSheet,
  ShareSheet,
  Trail,
  WhatIfBar,
  WorkshopBar,
} from "../panes/parts";
import { RunProvider } from "../store/context";
import {
  deckOpen,
  deskOpen,
  exercisesOpen,
  galleryAt,
  helpOpen,
  inputsAt,
  shareOpen,
  toast,
  workshop,
} from "../store/page";
import type { RunView } from "../store/runview";
import { Connection } from "./Connection";
import { Dock } from "./Dock";
import { useKeys } from "./keys";
import { PhoneTabs } from "./PhoneTabs";
import { useStillWhilePressed } from "./pressed";
import { ProgramBar } from "./ProgramBar";
import { TopBar } from "./TopBar";
import { PHONE, useMedia } from "../store/useMedia";

export function App({ config, view }: { config: Config; view: RunView }) {
  const phone = useMedia(PHONE);
  useKeys(view);
  useStillWhilePressed();
  return (
    <RunProvider value={view}>
      <a class="skip" href="#panes">
        Skip to the panes
      </a>
      <TopBar />
      {workshop.value !== null && <WorkshopBar />}
      {!config.sandbox && <SandboxBanner />}
      <Connection />
      <div class="beside">
        {deckOpen.value && <Deck />}
        <main id="panes" class="workspace">
          {!phone && <NoteAt at={LESSON} />}
          <ProgramBar />
          {isOverridden(view) && <WhatIfBar />}
          {hasGraphs(view) && <GraphBar />}
          {phone ? <PhoneTabs /> : <Dock />}
          {hasSelection(view) && <Trail />}
        </main>
        {exercisesOpen.value && <Exercises />}
      </div>
      <div class="toast" role="status" hidden={toast.value === null}>
        {toast.value}
      </div>
      {galleryAt.value !== null && <Gallery />}
      {inputsAt.value !== null && <InputsSheet />}
      {helpOpen.value && <Help version={config.version} />}
      {shareOpen.value && <ShareSheet />}
      {deskOpen.value && <DeskSheet />}
    </RunProvider>
  );
}

function SandboxBanner() {
  return (
    <p class="banner" role="note">
      The sandbox is off: snippets run with all rights of the worker. Run only code that you trust.
    </p>
  );
}

/** Whether something was, or is to be, decided in the compiler's stead, or a run is held against another. */
const isOverridden = ({ options, run, before }: RunView): boolean =>
  before.value !== null ||
  options.value.overrides.length + (run.value?.options.overrides.length ?? 0) > 0;

const hasGraphs = ({ program }: RunView): boolean =>
  program.value !== null && partsOf(program.value).length > 0;

const hasSelection = ({ selection: { value } }: RunView): boolean =>
  value.nodes.size + value.values.size > 0;
