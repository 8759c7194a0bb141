/** The snippet's editor: CodeMirror with its language, the marks of a report and the line map. */
import { Compartment, EditorState, Prec, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import type { Mark } from "../lib/diagnostics";
import { fetching } from "../net/modules";
import { awaited } from "./awaited";
import type { marking } from "./equipment";
import { isLinked, linking, reveal, setLinks, type Choice, type Links } from "./links";
import { asking, hasReasons, setReasons } from "./reasons";
import { staying } from "./staying";
import { appearance } from "./theme";
import { typedOver } from "./typed-over";

const beside = fetching(() => import("./equipment"));
const EQUIPMENT = "the colours, the keys and the search of the editor";
const NO_MARKS: readonly Mark[] = [];
const HELP = "Paste a PyTorch or JAX snippet, then press Ctrl+Enter.";

export interface Reactions {
  onChange: (text: string) => void;
  onRun: () => void;
  onLine: (line: number, how: Choice) => void;
  /** The mark beside a line that has reasons was pressed. */
  onWhy: (line: number) => void;
  /** The text is to be formatted. */
  onFormat: () => void;
  /** Another text than this was put in its place, by nobody who writes. */
  onReplaced: (text: string) => void;
  /** The text is read only. */
  isReader: boolean;
}

export class Editor {
  private readonly view: EditorView;
  private readonly keys = new Compartment();
  private marks = NO_MARKS;
  /** Null until what is beside writing is here. */
  private marking: typeof marking | null = null;

  /** `hint` is the id of the element that says how to leave the editor by keyboard, `label` what it is
   * called; `more` goes before what every editor has. */
  constructor(
    parent: HTMLElement,
    text: string,
    hint: string,
    private readonly reactions: Reactions,
    label = "Source",
    more: Extension = [],
  ) {
    const does = (react: () => void) => () => {
      react();
      return true;
    };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          Prec.highest(
            keymap.of([
              { key: "Mod-Enter", run: does(reactions.onRun) },
              { key: "Shift-Alt-f", run: does(reactions.onFormat) },
            ]),
          ),
          this.keys.of([]),
          more,
          lineNumbers(),
          awaited(
            EQUIPMENT,
            () => this.equipped(),
            () => this.mark(),
          ),
          asking(reactions.onWhy),
          linking(reactions.onLine),
          staying(),
          typedOver,
          drawSelection(),
          highlightActiveLine(),
          placeholder(HELP),
          EditorState.readOnly.of(reactions.isReader),
          EditorView.contentAttributes.of({
            "aria-label": label,
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
    const before = doc.toString();
    if (before === text) return;
    if (before !== "") this.reactions.onReplaced(before);
    this.view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
  }

  /** Gives the text Vim's keys, or takes them away; a sentence where they could not be had. */
  async setVim(on: boolean): Promise<string | null> {
    const found = on ? await import("./vim").catch(() => null) : { vimKeys: [] };
    if (!found) return "The page could not fetch Vim's keys. Check the connection and try again.";
    this.view.dispatch({ effects: this.keys.reconfigure(found.vimKeys) });
    return null;
  }

  /** Formats the text; a sentence where that was not possible. */
  async format(): Promise<string | null> {
    const { difference, formatted } = await import("./formatting");
    const before = this.view.state.doc.toString();
    const found = await formatted(before);
    if (!found.ok) return found.error;
    if (this.view.state.doc.toString() !== before)
      return "The text was changed while it was formatted.";
    const changes = difference(before, found.text);
    if (changes) this.view.dispatch({ changes });
    return changes ? null : "The text is formatted already.";
  }

  /** Marks what is said of the lines of a text, where that stands here: the lines of another mean
   * something else. What is marked moves with edits. */
  setMarks(marks: readonly Mark[], source: string): void {
    const { doc } = this.view.state;
    if (marks === this.marks) return;
    const wanted = this.view.state.toText(source).eq(doc) ? marks : NO_MARKS;
    if (wanted === this.marks) return;
    this.marks = wanted;
    this.mark();
  }

  private async equipped(): Promise<Extension> {
    const { equipment, marking } = await beside();
    this.marking = marking;
    return equipment(this.view.state.doc);
  }

  /** Marks what is to be marked, once it can be. */
  private mark(): void {
    const { view, marks } = this;
    if (this.marking) view.dispatch(this.marking(view.state, marks));
  }

  /** Marks the lines of which there is something to say, each with what. */
  setReasons(reasons: ReadonlyMap<number, string>): void {
    if (!hasReasons(this.view.state, reasons))
      this.view.dispatch({ effects: setReasons.of(reasons) });
  }

  link(links: Links): void {
    if (!isLinked(this.view.state, links)) this.view.dispatch({ effects: setLinks.of(links) });
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
