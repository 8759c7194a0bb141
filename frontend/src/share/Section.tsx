/** A section of the sheet: what is handed on, a few words about it, and the ways to take it. */
import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { Icon, type IconName } from "../panes/Icon";
import { copied } from "../store/page";
import type { RunView } from "../store/runview";
import type { Output } from "./outputs";

/** Says in the sheet what was done, or why it was not. */
type Say = (sentence: string) => void;

export const Saying = createContext<Say>(() => {});

export const useSay = (): Say => useContext(Saying);

interface SectionProps {
  title: string;
  about: string;
  children: ComponentChildren;
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section class="share-row" aria-label={title}>
      <h3>{title}</h3>
      <p class="faint">{about}</p>
      <div class="share-acts">{children}</div>
    </section>
  );
}

/** To be read, and copied by hand where the browser does not. */
export const Field = ({ name, value }: { name: string; value: string }) => (
  <input
    class="share-field"
    aria-label={name}
    readOnly
    value={value}
    onFocus={(event) => event.currentTarget.select()}
  />
);

interface CopyProps {
  /** What is copied, as a sentence begins. */
  what: string;
  make: () => Promise<Output>;
}

export function Copy({ what, make }: CopyProps) {
  const say = useSay();
  const copy = async () => {
    const made = await make();
    if (!made.ok) say(made.error);
    else if (await copied(made.text)) say(`${what} copied. ${made.note}`);
    else say(`The browser does not allow copying here. ${made.note}`);
  };
  return (
    <Act icon="copy" onClick={() => void copy()} label={`Copy: ${what}`}>
      Copy
    </Act>
  );
}

interface ActProps {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  children: ComponentChildren;
}

export const Act = ({ icon, label, onClick, disabled = false, children }: ActProps) => (
  <button class="bar-button" aria-label={label} disabled={disabled} onClick={onClick}>
    <Icon name={icon} /> {children}
  </button>
);

/** What a file of the run is called, without its ending. */
export const fileName = (view: RunView): string =>
  (view.program.value?.name ?? "snippet").replace(/\W+/g, "-");
