/** The bar on top: examples, run and cancel, how far it is, share, theme, help. */
import { useRunView } from "../store/context";
import { galleryAt, helpOpen, shareOpen } from "../store/page";
import { THEMES, theme } from "../store/preferences";
import { cancel, start } from "../store/running";
import { Icon } from "../panes/Icon";
import { PinButton } from "./PinButton";
import { Status } from "./Status";

export function TopBar() {
  const view = useRunView();
  const { busy } = view;
  return (
    <header class="top-bar">
      <h1 class="brand">
        <a href="/">
          <Logo />
          Fuselab
        </a>
      </h1>
      <button class="bar-button" aria-haspopup="dialog" onClick={() => (galleryAt.value = "")}>
        Examples
      </button>
      {busy.value ? (
        <button class="cancel" title="Cancel (Ctrl .)" onClick={() => void cancel(view)}>
          <Icon name="stop" /> Cancel
        </button>
      ) : (
        <button class="primary run" title="Run (Ctrl Enter)" onClick={() => void start(view)}>
          <Icon name="run" /> Run
        </button>
      )}
      <Status />
      <span class="spacer" />
      <button
        class="bar-button"
        aria-label="Share"
        title="Link, snippet in a link, embed, Markdown, one file, commands"
        onClick={() => (shareOpen.value = true)}
      >
        <Icon name="share" /> <span class="wide-only">Share</span>
      </button>
      <a class="quiet wide-only" href="/w/" title="Open a workshop, or join one by its code">
        Workshop
      </a>
      <PinButton />
      <ThemeButton />
      <button
        class="quiet wide-only"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => (helpOpen.value = true)}
      >
        <Icon name="help" />
      </button>
    </header>
  );
}

export function ThemeButton() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  return (
    <button
      class="quiet"
      aria-label={`Theme: ${theme.value}; change to ${next}`}
      title={`Theme: ${theme.value}`}
      onClick={() => (theme.value = next)}
    >
      <Icon name={theme.value} />
    </button>
  );
}

/** Three boxes becoming one. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M1.5 2.5h4v3h-4zM1.5 10.5h4v3h-4z" />
      <path class="fused" d="M10 4.5h4.5v7H10z" />
      <path class="wire" d="M5.5 4h2v8h-2M7.5 8H10" />
    </svg>
  );
}
