/** A run as Markdown, as GitHub has it: to be pasted into an issue. */
import type { Program, Report } from "../wire";
import { cameBy } from "./compilers";
import { sourceLanguage } from "./files";
import {
  changeWords,
  circumstances,
  failureWords,
  tablesOf,
  verdictWords,
  type TextTable,
} from "./telling";

/** Rows of a table beyond which an issue is not read. */
const MOST_ROWS = 20;

/** `link` is the run's own address. */
export function markdownOf(report: Report, source: string, link: string): string {
  const parts = [
    `[The run, with every stage](${link})`,
    ...(report.error ? [`**Failed at ${escaped(failureWords(report.error))}**`] : []),
    ...report.programs.flatMap((program) => programParts(program, source)),
    `### Snippet\n\n${fenced(source, sourceLanguage(source) === "python" ? "python" : "mlir")}`,
    ...(report.output.stderr ? [folded("Standard error", fenced(report.output.stderr))] : []),
    ...(report.error?.traceback ? [folded("Traceback", fenced(report.error.traceback))] : []),
    `<sub>${escaped(circumstances(report))}</sub>`,
  ];
  return `${parts.join("\n\n")}\n`;
}

function programParts(program: Program, source: string): string[] {
  const { name, inputs, error } = program;
  return [
    `### ${code(name)} (${cameBy(program, source)})`,
    inputs.map(code).join(" "),
    error ? `**Failed at ${escaped(failureWords(error))}**` : "",
    [verdictWords(program), changeWords(program)].filter(Boolean).map(escaped).join("  \n"),
    ...tablesOf(program).map((told) => folded(`${told.title} (${told.rows.length})`, table(told))),
  ].filter(Boolean);
}

function table({ heads, rows }: TextTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const more = rows.length - MOST_ROWS;
  return [
    line(heads),
    line(heads.map(() => "---")),
    ...rows.slice(0, MOST_ROWS).map(line),
    ...(more > 0 ? ["", `and ${more} more`] : []),
  ].join("\n");
}

const folded = (title: string, content: string): string =>
  `<details><summary>${escaped(title)}</summary>\n\n${content}\n\n</details>`;

/** A fence longer than any in the text. */
function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n?$/, "\n")}${fence}`;
}

const code = (text: string): string => (text.includes("`") ? escaped(text) : `\`${text}\``);

const cell = (text: string): string => escaped(text).replaceAll("\n", " ") || " ";

/** Text that Markdown, and the HTML in it, take for nothing else; and that calls nobody. */
const escaped = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>|#~$]/g, "\\$&").replaceAll("@", "@\u200b");
