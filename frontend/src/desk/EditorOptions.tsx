/** How the editor behaves, and formatting. */
import { useRunView } from "../store/context";
import { runsOnPause, setRunsOnPause, setVimKeys, vimKeys } from "../store/preferences";

export function EditorOptions({ close }: { close: () => void }) {
  const { navigation } = useRunView();
  const format = () => {
    close();
    navigation.format();
  };
  return (
    <ul class="desk-list">
      <li>
        <label class="check">
          <input
            type="checkbox"
            checked={vimKeys.value}
            onChange={(event) => setVimKeys(event.currentTarget.checked)}
          />
          Vim keys
        </label>
        <p class="faint">Modes, motions and operators in the editor; Ctrl Enter still runs.</p>
      </li>
      <li>
        <label class="check">
          <input
            type="checkbox"
            checked={runsOnPause.value}
            onChange={(event) => setRunsOnPause(event.currentTarget.checked)}
          />
          Run on pause
        </label>
        <p class="faint">
          A changed text is run a moment after the last key; of runs that wait the newest stays.
        </p>
      </li>
      <li>
        <button class="bar-button" onClick={format}>
          Format the text
        </button>
        <p class="faint">
          As Ruff formats Python, in this browser; also <kbd>Shift</kbd>
          <kbd>Alt</kbd>
          <kbd>F</kbd>. The formatter is fetched once, 3.8 MB.
        </p>
      </li>
    </ul>
  );
}
