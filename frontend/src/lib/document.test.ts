import { expect, test } from "vitest";
import type { Report } from "../wire";
import sample from "./fixtures/sample.json";
import { documentOf } from "./document";

const REPORT = sample.report as unknown as Report;

const made = (report: Report, drawings = new Map<number, string>()): string =>
  documentOf({
    report,
    source: report.snippet.source,
    link: "http://host/r/a",
    day: "today",
    drawings,
  });

test("the file has the snippet, the tables, every text and the report", () => {
  const file = made(REPORT, new Map([[0, "<svg><title>graph</title></svg>"]]));
  for (const { artifacts } of REPORT.programs[0]!.stages)
    for (const { text } of artifacts)
      expect(file).toContain(
        text.replace(
          /[&<>"]/g,
          (s) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[s]!,
        ),
      );
  expect(file).toContain("<h3>Kernels</h3>");
  expect(file).toContain("<svg><title>graph</title></svg>");
  const stored = /<script type="application\/json" id="report">(.*)<\/script>/.exec(file)![1]!;
  expect(JSON.parse(stored)).toEqual(REPORT);
});

test("the file loads nothing, and nothing in it is run", () => {
  const evil = '</script></pre><script src="http://evil">';
  const [program] = REPORT.programs;
  const snippet = { ...REPORT.snippet, source: evil };
  const file = made({ ...REPORT, snippet, programs: [{ ...program!, name: evil }] });
  expect(file).toContain("default-src 'none'");
  expect(file.match(/<script/g)).toHaveLength(1);
  expect(file).not.toMatch(/\b(src|href)="(?!http:\/\/host\/r\/a")/);
});
