/** The snippet's editor: CodeMirror with Python, the marks of a report and the line map. */
import { indentUnit } from "@codemirror/language";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import type { Mark } from "../lib/diagnostics";
import { awaited } from "./awaited";
import type { marking } from "./equipment";
import { linking, reveal, setLinks, type Choice, type Links } from "./links";
import { asking, setReasons } from "./reasons";
import { appearance } from "./theme";

const EQUIPMENT = "the colours, the keys and the search of the editor";
const HELP = "Paste a PyTorch or JAX snippet, then press Ctrl+Enter.";

export interface Reactions {
  onChange: (text: string) => void;
  onRun: () => void;
  onLine: (line: number, how: Choice) => void;
  /** The mark beside a line that has reasons was pressed. */
  onWhy: (line: number) => void;
}

export class Editor {
  private readonly view: EditorView;
  private marks: readonly Mark[] = [];
  /** Null until what is beside writing is here. */
  private marking: typeof marking | null = null;

  /** `hint` is the id of the element that says how to leave the editor by keyboard. */
  constructor(parent: HTMLElement, text: string, hint: string, reactions: Reactions) {
    const run = () => {
      reactions.onRun();
      return true;
    };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          Prec.highest(keymap.of([{ key: "Mod-Enter", run }])),
          lineNumbers(),
          awaited(
            EQUIPMENT,
            () => this.equipped(),
            () => this.mark(),
          ),
          asking(reactions.onWhy),
          linking(reactions.onLine),
          drawSelection(),
          indentUnit.of("    "),
          highlightActiveLine(),
          placeholder(HELP),
          EditorView.contentAttributes.of({
            "aria-label": "Source",
            "aria-describedby": hint,
            tabindex: "0",
            autocapitalize: "off",
            autocorrect: "off",
            spellcheck: "false",
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) reactions.onChange(state.doc.toString());
          }),
          appearance,
        ],
      }),
    });
  }

  /** Puts `text` in place of what is there, unless it is the same. */
  setText(text: string): void {
    const { doc } = this.view.state;
    if (doc.toString() === text) return;
    this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  setMarks(marks: readonly Mark[]): void {
    if (marks === this.marks) return;
    this.marks = marks;
    this.mark();
  }

  private async equipped(): Promise<Extension> {
    const { equipment, marking } = await import("./equipment");
    this.marking = marking;
    return equipment;
  }

  /** Marks what is to be marked, once it can be. */
  private mark(): void {
    const { view, marks } = this;
    if (this.marking) view.dispatch(this.marking(view.state, marks));
  }

  /** Marks the lines of which there is something to say, each with what. */
  setReasons(reasons: ReadonlyMap<number, string>): void {
    this.view.dispatch({ effects: setReasons.of(reasons) });
  }

  link(links: Links): void {
    this.view.dispatch({ effects: setLinks.of(links) });
  }

  reveal(): void {
    requestAnimationFrame(() => reveal(this.view, this.view.scrollDOM));
  }

  /** Puts the cursor at the beginning of a line, in sight. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    const { from } = doc.line(Math.min(Math.max(1, line), doc.lines));
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }
}
