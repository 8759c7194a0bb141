/**
 * CodeMirror's style modules as adopted style sheets.
 *
 * style-mod writes a style element into the document, which the page's policy (style-src 'self')
 * forbids; sheets that a script constructs and adopts need no exception from it. The build puts
 * this module in the place of style-mod.
 */
import { StyleModule as Original } from "style-mod";

type Root = Document | ShadowRoot;

const sheets = new WeakMap<Original, CSSStyleSheet>();
const mounted = new WeakMap<Root, Original[]>();

export class StyleModule extends Original {
  /** Each module once per root; the rules of later modules take precedence. */
  static override mount(root: Root, modules: Original | readonly Original[]): void {
    const wanted = Array.isArray(modules)
      ? (modules as readonly Original[])
      : [modules as Original];
    const before = mounted.get(root) ?? [];
    const after = merged(before, wanted);
    // To adopt the same again would have every element of the page find its style anew.
    if (after.length === before.length && after.every((each, at) => each === before[at])) return;
    mounted.set(root, after);
    const ours = new Set(before.map(sheetOf));
    const others = root.adoptedStyleSheets.filter((sheet) => !ours.has(sheet));
    root.adoptedStyleSheets = [...others, ...after.map(sheetOf)];
  }
}

/** `before` with what is new of `wanted`, in whose order its modules now stand. */
export function merged<T>(before: readonly T[], wanted: readonly T[]): T[] {
  const result = [...before];
  let end = 0;
  for (const item of wanted) {
    let at = result.indexOf(item);
    if (at >= 0 && at < end) {
      result.splice(at, 1);
      end -= 1;
      at = -1;
    }
    if (at < 0) result.splice(end, 0, item);
    end = at < 0 ? end + 1 : at + 1;
  }
  return result;
}

function sheetOf(module: Original): CSSStyleSheet {
  let sheet = sheets.get(module);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(module.getRules());
    sheets.set(module, sheet);
  }
  return sheet;
}
