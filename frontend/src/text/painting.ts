/** How the lines of a sheet look: what went, what came, their numbers, signs and differing words. */
import { RangeSetBuilder, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, lineNumbers } from "@codemirror/view";
import type { Sheet, SheetLine } from "./sheet";

const SIDES = { before: "cm-gone", after: "cm-came" } as const;
const SIGNS = { before: "−", after: "+" } as const;
const SAID = { before: "only before", after: "only after" } as const;
const TWINS = { changed: "of the value of", moved: "moved", renamed: "renamed, else" } as const;

/** Numbers of lines, and for a sheet of two texts what is painted. */
export function painted(sheet: Sheet): Extension {
  const numbers = lineNumbers({
    formatNumber: (number) => String(sheet.lines[number - 1]?.line ?? ""),
  });
  if (sheet.lines.every((line) => line?.same)) return numbers;
  return [
    numbers,
    signs(sheet),
    EditorView.decorations.compute(["doc"], ({ doc }) => decorations(sheet, doc)),
  ];
}

const blank = Decoration.line({ class: "cm-blank", attributes: { "aria-hidden": "true" } });
const word = Decoration.mark({ class: "cm-word" });

function decorations(sheet: Sheet, doc: Text) {
  const builder = new RangeSetBuilder<Decoration>();
  sheet.lines.forEach((line, at) => {
    if (line?.same) return;
    const { from } = doc.line(at + 1);
    builder.add(from, from, line ? paint(line) : blank);
    for (const [start, end] of line?.words ?? []) builder.add(from + start, from + end, word);
  });
  return builder.finish();
}

const paint = (line: SheetLine): Decoration =>
  Decoration.line({
    class: ["cm-changedLine", SIDES[line.side], line.twin && `cm-${line.twin.how}`]
      .filter(Boolean)
      .join(" "),
    attributes: { title: told(line) },
  });

/** In words, for a pointer and for whoever does not see the colours. */
function told({ side, twin }: SheetLine): string {
  if (twin === null) return SAID[side];
  const other = side === "before" ? "after" : "before";
  return `${SAID[side]}: ${TWINS[twin.how]} line ${twin.line + 1} ${other}`;
}

class Sign extends GutterMarker {
  constructor(
    private readonly text: string,
    override readonly elementClass: string,
  ) {
    super();
  }

  override eq(other: Sign): boolean {
    return this.text === other.text;
  }

  override toDOM(): Node {
    return document.createTextNode(this.text);
  }
}

const MARKERS = {
  before: new Sign(SIGNS.before, "cm-sign-gone"),
  after: new Sign(SIGNS.after, "cm-sign-came"),
};

const MOVED = {
  before: new Sign("↱", "cm-sign-gone"),
  after: new Sign("↳", "cm-sign-came"),
};

function signs(sheet: Sheet): Extension {
  return gutter({
    class: "cm-signs",
    lineMarker(view, block) {
      const line = sheet.lines[view.state.doc.lineAt(block.from).number - 1];
      if (!line || line.same) return null;
      return (line.twin?.how === "moved" ? MOVED : MARKERS)[line.side];
    },
  });
}
