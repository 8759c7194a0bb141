/** What an operation means, where the pointer rests on it: fetched with the first that is asked for. */
import type { Extension } from "@codemirror/state";
import { hoverTooltip, type Tooltip } from "@codemirror/view";

const WORD = /[\w.]+/g;

export function meanings(language: string): Extension {
  return hoverTooltip(async (view, pos): Promise<Tooltip | null> => {
    const { from, text } = view.state.doc.lineAt(pos);
    const word = [...text.matchAll(WORD)].find(
      ({ index, 0: found }) => index <= pos - from && pos - from <= index + found.length,
    );
    if (!word) return null;
    const { meaningOf } = await import("../lib/operations");
    const meaning = meaningOf(language, word[0]);
    if (!meaning) return null;
    return {
      pos: from + word.index,
      end: from + word.index + word[0].length,
      create: () => {
        const dom = document.createElement("div");
        dom.className = "text-meaning";
        const name = document.createElement("strong");
        name.textContent = meaning.name;
        dom.append(name, ` ${meaning.says}`);
        return { dom };
      },
    };
  });
}
