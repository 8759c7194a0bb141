/** The examples by chapter: a list that is walked with the arrow keys. */
import { chapters, FRAMEWORKS, type Example } from "../lib/gallery";

interface Props {
  examples: readonly Example[];
  /** The name of the one that is looked at. */
  at: string;
  onLook: (example: Example) => void;
  onOpen: (example: Example) => void;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 };

export function Chapters({ examples, at, onLook, onOpen }: Props) {
  return (
    <div class="chapters" onKeyDown={walk}>
      {chapters(examples).map(({ title, examples: listed }, index) => (
        <section key={title} aria-label={title}>
          <h3>
            <span class="number faint">{index + 1}</span> {title}
          </h3>
          <ul>
            {listed.map((example) => (
              <li key={example.name}>
                <button
                  class="example"
                  aria-current={example.name === at ? "true" : undefined}
                  onClick={() => onLook(example)}
                  onDblClick={() => onOpen(example)}
                  onKeyDown={(event) => event.key === "Enter" && openNow(event, example, onOpen)}
                >
                  <span>{example.title}</span>
                  <span class="faint">{FRAMEWORKS[example.framework]}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Enter opens what a click only shows. */
function openNow(event: Event, example: Example, onOpen: Props["onOpen"]): void {
  event.preventDefault();
  onOpen(example);
}

/** What is walked to is looked at. */
function walk(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const rows = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".example")];
  const from = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, from + step))];
  next?.focus();
  next?.click();
}
