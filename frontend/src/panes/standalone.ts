/** A drawing of the page as a file that needs no style, font or colour of the page. */

const VARIABLE = /var\((--[\w-]+)/g;
const SVG = "http://www.w3.org/2000/svg";

/** The SVG as text at its own size, with the rules that hold for it and the colours of the theme that
 * is on where it stands; without what is selected, searched or pointed at. Of rules that ask for what
 * stands around a drawing, hold those that find it below `around`. */
export function standalone(drawing: SVGSVGElement, around: Element | null = null): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  for (const mark of copy.querySelectorAll(".lit, .active, .found"))
    mark.classList.remove("lit", "active", "found");
  copy.classList.remove("searched");
  if (around) wrap(copy, classesBelow(around, drawing));
  const rules = rulesFor(copy);
  const style = document.createElementNS(SVG, "style");
  const place = drawing.parentElement ?? document.documentElement;
  const paper = valueOf("--paper", place);
  const { fontFamily, fontSize, color } = getComputedStyle(place);
  const own = `svg{background:${paper};font:${fontSize} ${fontFamily};color:${color}}`;
  style.textContent = `${own}\n${variables(rules, place)}\n${rules}`;
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

/** The classes of what stands around a drawing, the innermost first. */
function classesBelow(around: Element, drawing: Element): string[] {
  const found: string[] = [];
  for (let at = drawing.parentElement; at && at !== around; at = at.parentElement)
    found.push(at.className);
  return found;
}

/** Puts what is in a drawing into groups of these classes. */
function wrap(drawing: SVGSVGElement, classes: readonly string[]): void {
  for (const name of classes) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", name);
    group.append(...drawing.childNodes);
    drawing.append(group);
  }
}

/** Those of the page's rules that hold for a part of the drawing. */
function rulesFor(drawing: SVGSVGElement): string {
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
  const holds = (rule: CSSRule): rule is CSSStyleRule =>
    rule instanceof CSSStyleRule &&
    (drawing.matches(rule.selectorText) || drawing.querySelector(rule.selectorText) !== null);
  return rules
    .filter(holds)
    .map(({ cssText }) => cssText)
    .join("\n");
}

/** What the rules refer to, as it is now; `--hue` is given by rules of its own. */
function variables(rules: string, place: Element): string {
  const names = new Set([...rules.matchAll(VARIABLE)].map(([, name]) => name!));
  names.delete("--hue");
  return `svg{${[...names].map((name) => `${name}:${valueOf(name, place)}`).join(";")}}`;
}

/** A colour as numbers, for it may differ by theme and place; anything else as it stands. */
function valueOf(name: string, place: Element): string {
  const written = getComputedStyle(place).getPropertyValue(name).trim();
  if (!CSS.supports("color", written)) return written;
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
