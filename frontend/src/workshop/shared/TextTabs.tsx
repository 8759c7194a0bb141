/** Over the editor in a workshop: one's own text or the shared one, and who writes in that. */
import { useEffect } from "preact/hooks";
import { useRunView } from "../../store/context";
import { notify } from "../../store/page";
import { bothTexts, setBothTexts } from "../../store/preferences";
import type { RunView } from "../../store/runview";
import { room } from "../room/attending";
import { Called } from "../room/Called";
import { putInOwn } from "../room/handing";
import { hasPen, holders, sharing, type Sharing } from "./state";

// In which both texts have room beside each other.
const BOTH_PX = 640;
const KEYS = new Set(["ArrowLeft", "ArrowRight"]);

export function TextTabs() {
  const shared = sharing.value;
  const view = useRunView();
  const isBoth = bothTexts.value && room.value !== null && shared !== null;
  useEffect(
    () => (isBoth ? view.navigation.dock?.widen("source", BOTH_PX) : undefined),
    [isBoth, view],
  );
  if (!room.value || !shared) return null;
  const isShared = view.shared.value !== null;
  const refused = shared.refused.value;
  return (
    <div class="text-tabs">
      <Tabs view={view} shared={shared} />
      <button
        class="quiet"
        aria-pressed={bothTexts.value}
        title="Shows both texts; Run runs the one in which you wrote last"
        onClick={() => setBothTexts(!bothTexts.peek())}
      >
        Both
      </button>
      <span role="status">{isShared && <State shared={shared} />}</span>
      {isShared && (
        <button
          class="quiet"
          title="Take a copy into your own text; “Put my text back” undoes it"
          onClick={() => take(view, shared.text.value)}
        >
          Copy into mine
        </button>
      )}
      {refused && (
        <div role="alert" class="problem">
          <p>{refused.why}</p>
          <button onClick={() => (take(view, refused.text), (shared.refused.value = null))}>
            Copy what I wrote into mine
          </button>
          <button class="quiet" onClick={() => (shared.refused.value = null)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}

function Tabs({ view, shared }: { view: RunView; shared: Sharing }) {
  const isShared = view.shared.value !== null;
  const show = (wanted: boolean) => (view.shared.value = wanted ? shared.text : null);
  const walk = ({ key, currentTarget }: KeyboardEvent) => {
    if (!KEYS.has(key)) return;
    show(!isShared);
    const tabs = (currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]");
    tabs[isShared ? 0 : 1]?.focus();
  };
  const tab = (name: string, panel: string, isOfShared: boolean) => (
    <button
      role="tab"
      aria-selected={isShared === isOfShared}
      aria-controls={`${view.prefix}-${panel}`}
      tabIndex={isShared === isOfShared ? 0 : -1}
      onClick={() => show(isOfShared)}
    >
      {name}
    </button>
  );
  return (
    <div role="tablist" aria-label="Text" onKeyDown={walk}>
      {tab("Mine", "own-text", false)}
      {tab("Shared", "shared-text", true)}
    </div>
  );
}

/** Whether what is seen is what the others see, and who may write it. */
function State({ shared: { isLive } }: { shared: Sharing }) {
  const names = holders.value;
  if (!isLive.value)
    return hasPen.value
      ? "Not connected: what you write is merged when the line is back."
      : "Not connected: the others may have written more.";
  if (hasPen.value && names.length === 1) return "You have the pen.";
  return (
    <>
      {new Intl.ListFormat("en")
        .formatToParts(names)
        .map(({ type, value }, at) =>
          type === "element" ? <Called key={at} name={value} /> : value,
        )}
      {names.length === 1 ? " has the pen." : " have the pen."}
    </>
  );
}

function take(view: RunView, text: string): void {
  putInOwn(view, text);
  notify("Copied into your own text. “Put my text back” undoes it.");
}
