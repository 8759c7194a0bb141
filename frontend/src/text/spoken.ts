/** The language that the editor's text is in: Python, or StableHLO as soon as it begins as that. */
import { python, pythonLanguage } from "@codemirror/lang-python";
import { Compartment, EditorState, type Extension, type Text } from "@codemirror/state";
import { isModule } from "../lib/compilers";
import { completing } from "./completing";
import { languageOf } from "./language";

/** Characters within which comments end and a module begins. */
const HEAD = 4000;

export const PYTHON: Extension = [python(), pythonLanguage.data.of({ autocomplete: completing })];
export const STABLEHLO: Extension = [languageOf("stablehlo")];

const own = new Compartment();

/** The language that holds in a state. */
export const spokenIn = (state: EditorState): Extension | undefined => own.get(state);

/** The language of a text, and of what becomes of it. */
export const spoken = (doc: Text): Extension => [
  own.of(languageFor(doc)),
  EditorState.transactionExtender.of(({ docChanged, newDoc, startState }) => {
    const next = docChanged ? languageFor(newDoc) : spokenIn(startState);
    return next && next !== spokenIn(startState) ? { effects: own.reconfigure(next) } : null;
  }),
];

const languageFor = (doc: Text): Extension =>
  isModule(doc.sliceString(0, HEAD)) ? STABLEHLO : PYTHON;
