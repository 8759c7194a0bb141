/**
 * A run as one HTML file, with everything in it: opened from a disk, it needs no network, no script
 * and no server. The report itself is in it as JSON, for programs.
 */
import type { Artifact, Program, Report, Stage } from "../wire";
import { isFile } from "./files";
import { milliseconds } from "./format";
import {
  changeWords,
  circumstances,
  failureWords,
  tablesOf,
  verdictWords,
  type TextTable,
} from "./telling";

export interface Wanted {
  report: Report;
  source: string;
  /** The run's own address. */
  link: string;
  /** The day, as a person reads it. */
  day: string;
  /** By a program's place its fusion graph, as SVG text of the page's own making. */
  drawings: ReadonlyMap<number, string>;
}

/** Nothing is loaded or run, whatever got into it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root{color-scheme:light dark}
body{max-width:1100px;margin:0 auto;padding:24px;font:14px/21px system-ui,sans-serif;
 color:light-dark(#1b1f24,#e6e8ea);background:light-dark(#fff,#14171a)}
h1{font-size:22px;line-height:28px}h2{margin-top:40px;font-size:18px}h3{font-size:15px}
a{color:light-dark(#0b5cad,#7ab8ff)}
pre{overflow:auto;padding:12px;border:1px solid light-dark(#d5d9dd,#3a4046);border-radius:6px;
 font:12px/18px ui-monospace,monospace}
table{border-collapse:collapse}th,td{padding:4px 12px 4px 0;text-align:left;vertical-align:top;
 border-bottom:1px solid light-dark(#e3e6e9,#2b3035)}
.wide{overflow-x:auto}summary{padding:4px 0;cursor:pointer}.faint{color:light-dark(#57606a,#9aa4ad)}
.bad{color:light-dark(#b3261e,#ff8a80)}.drawing{overflow:auto;border:1px solid light-dark(#d5d9dd,#3a4046);
 border-radius:6px;background:light-dark(#fff,#14171a)}
`;

export function documentOf({ report, source, link, day, drawings }: Wanted): string {
  const names = report.programs.map(({ name }) => name).join(", ") || "A snippet";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${text(names)} · Fuselab</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${text(names)}</h1>
<p class="faint">${text(circumstances(report))}. Kept on ${text(day)} from <a href="${text(link)}">${text(link)}</a>.</p>
${report.error ? failed(failureWords(report.error), report.error.traceback) : ""}
<h2>Snippet</h2>
${pre("The snippet", source)}
${printed(report)}
${report.programs.map((program, at) => section(program, drawings.get(at) ?? "")).join("\n")}
<p class="faint">${text(report.protocol)}</p>
</main>
<script type="application/json" id="report">${json(report)}</script>
</body>
</html>
`;
}

function section(program: Program, drawing: string): string {
  const { name, inputs, error, stages } = program;
  const words = [verdictWords(program), changeWords(program)].filter(Boolean);
  return `<section>
<h2>${text(name)}</h2>
<p><code>${text(inputs.join("  "))}</code></p>
${error ? failed(failureWords(error), error.traceback) : ""}
${words.map((each) => `<p>${text(each)}</p>`).join("\n")}
${drawing && `<h3>Fusion</h3>\n<div class="drawing" role="region" aria-label="Fusion graph of ${text(name)}" tabindex="0">${drawing}</div>`}
${tablesOf(program).map(table).join("\n")}
<h3>Stages</h3>
${stages.map(stageText).join("\n")}
</section>`;
}

function table({ title, heads, rows }: TextTable): string {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((each) => `<${tag}>${text(each)}</${tag}>`).join("")}</tr>`;
  return `<h3>${text(title)}</h3>
<div class="wide" role="region" aria-label="${text(title)}" tabindex="0"><table><thead>${row(heads, "th")}</thead>
<tbody>${rows.map((cells) => row(cells, "td")).join("\n")}</tbody></table></div>`;
}

/** A stage with its texts; one that has none is a line. */
function stageText(stage: Stage): string {
  const head = `${text(stageName(stage))} <span class="faint">${text(stageWords(stage))}</span>`;
  const texts = stage.artifacts.filter((artifact) => !isFile(artifact) && artifact.text !== "");
  if (texts.length === 0) return `<p>${head}</p>`;
  return `<details><summary>${head}</summary>\n${texts.map(artifactText).join("\n")}\n</details>`;
}

const stageName = ({ name, compiler, parent }: Stage): string =>
  [compiler, parent, name].filter(Boolean).join(" · ");

const stageWords = ({ status, ms, summary, added, removed }: Stage): string =>
  [
    status === "ok" ? milliseconds(ms) : status,
    added === null && removed === null ? "" : `+${added ?? 0} −${removed ?? 0}`,
    summary,
  ]
    .filter(Boolean)
    .join(" · ");

const artifactText = ({ name, text: content }: Artifact): string =>
  `<h4>${text(name)}</h4>\n${pre(name, content)}`;

function printed({ output: { stdout, stderr } }: Report): string {
  const part = (name: string, content: string) =>
    content && `<details><summary>${name}</summary>${pre(name, content)}</details>`;
  return part("Standard output", stdout) + part("Standard error", stderr);
}

const failed = (words: string, traceback: string): string =>
  `<p class="bad">Failed at ${text(words)}</p>${traceback && `<details><summary>Traceback</summary>${pre("Traceback", traceback)}</details>`}`;

const pre = (name: string, content: string): string =>
  `<pre role="region" aria-label="${text(name)}" tabindex="0">${text(content)}</pre>`;

const SIGNS: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const text = (content: string): string => content.replace(/[&<>"]/g, (sign) => SIGNS[sign]!);

/** JSON that ends no element. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");
