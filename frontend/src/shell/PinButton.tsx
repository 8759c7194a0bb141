/** Pins the run that is shown as A; then leads from any other run to both beside each other. */
import { Icon } from "../panes/Icon";
import { useRunView } from "../store/context";
import { notify } from "../store/page";
import { pinned } from "../store/pinned";
import { pathOfPair } from "../lib/urlstate";

export function PinButton() {
  const { run, program } = useRunView();
  const [a, here] = [pinned.value, run.value?.id ?? null];
  if (a !== null && a.id === here)
    return (
      <button
        class="bar-button"
        aria-pressed={true}
        title="This run is A; open or make another and compare the two. Press to unpin"
        onClick={() => (pinned.value = null)}
      >
        <Icon name="pin" /> <span class="wide-only">Pinned as A</span>
      </button>
    );
  if (a !== null && here !== null)
    return (
      <span class="pin-pair">
        <a class="button bar-button" href={pathOfPair(a.id, here)} title={`Beside ${a.name}`}>
          <Icon name="pin" /> <span class="wide-only">Compare with A</span>
        </a>
        <button class="quiet" title={`Unpin ${a.name}`} onClick={() => (pinned.value = null)}>
          <Icon name="cross" label="Unpin A" />
        </button>
      </span>
    );
  const pin = () => {
    if (here === null) return;
    pinned.value = { id: here, name: program.value?.name ?? here };
    notify("Pinned as A. Change the snippet or the options and run again, then compare.");
  };
  return (
    <button
      class="bar-button"
      disabled={here === null}
      title="Pin this run as A, to compare others with it"
      aria-label="Pin as A"
      onClick={pin}
    >
      <Icon name="pin" /> <span class="wide-only">Pin</span>
    </button>
  );
}
