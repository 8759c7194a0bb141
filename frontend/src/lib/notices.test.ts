import { expect, it } from "vitest";
import type { Notice, Report } from "../wire";
import { countedNotices } from "./notices";

const again: Notice = { level: "info", text: "one more graph", line: 3, by_service: false };

function listed(notices: Notice[], reasons: string[] = []): [string, number][] {
  const programs = [{ graph_breaks: reasons.map((reason) => ({ reason, line: 1 })) }];
  return countedNotices({ notices, programs } as unknown as Report).map(({ notice, count }) => [
    notice.text,
    count,
  ]);
}

it("lists equal notices once, with how often they were said", () => {
  expect(listed([again, { ...again, text: "other" }, again])).toEqual([
    ["one more graph", 2],
    ["other", 1],
  ]);
});

it("keeps apart what the service and what the run itself said", () => {
  expect(listed([again, { ...again, by_service: true }])).toHaveLength(2);
});

it("lists graph breaks before notices", () => {
  expect(listed([again], ["print()"])).toEqual([
    ["Graph break: print()", 1],
    ["one more graph", 1],
  ]);
});
