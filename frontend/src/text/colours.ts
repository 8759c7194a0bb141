/** The colours of every language. What reads a language is most of what an editor needs to be coloured,
 * and none of what it needs to be written in: no part of the first script takes from here. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { tags as t } from "@lezer/highlight";

const style = HighlightStyle.define([
  { tag: t.comment, color: "var(--syntax-comment)", fontStyle: "italic" },
  {
    tag: [t.keyword, t.controlKeyword, t.definitionKeyword, t.moduleKeyword],
    color: "var(--syntax-keyword)",
    fontWeight: "500",
  },
  {
    tag: [t.string, t.special(t.string), t.number, t.bool, t.null, t.atom],
    color: "var(--syntax-literal)",
  },
  { tag: [t.typeName, t.className, t.annotation, t.meta], color: "var(--syntax-type)" },
  {
    tag: [t.function(t.variableName), t.function(t.definition(t.variableName)), t.labelName],
    color: "var(--syntax-name)",
  },
  { tag: t.invalid, color: "var(--bad)" },
]);

export const colours: Extension = syntaxHighlighting(style);
