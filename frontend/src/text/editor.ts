/** The snippet's editor: CodeMirror with Python, the marks of a report and the line map. */
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import type { Mark } from "../lib/diagnostics";
import { linking, reveal, setLinks, type Links } from "./links";
import { asking, setReasons } from "./reasons";
import { appearance } from "./theme";

const HELP = "Paste a PyTorch or JAX snippet, then press Ctrl+Enter.";

export interface Reactions {
  onChange: (text: string) => void;
  onRun: () => void;
  onLine: (line: number) => void;
  /** The mark beside a line that has reasons was pressed. */
  onWhy: (line: number) => void;
}

export class Editor {
  private readonly view: EditorView;
  private marks: readonly Mark[] = [];

  constructor(parent: HTMLElement, text: string, reactions: Reactions) {
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
          lintGutter(),
          asking(reactions.onWhy),
          linking(reactions.onLine),
          history(),
          drawSelection(),
          indentUnit.of("    "),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          placeholder(HELP),
          keymap.of([
            ...closeBracketsKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          python(),
          EditorView.contentAttributes.of({
            "aria-label": "Source",
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
    this.view.dispatch(
      setDiagnostics(
        this.view.state,
        marks.map((mark) => this.diagnostic(mark)),
      ),
    );
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

  private diagnostic({ line, severity, message }: Mark): Diagnostic {
    const { doc } = this.view.state;
    const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
    const indent = text.length - text.trimStart().length;
    return { from: from + indent, to, severity, message };
  }
}
