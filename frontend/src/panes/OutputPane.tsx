/** What the snippet said and what was said about it: failures, notices, prints, versions. */
import { failures, sentence } from "../lib/diagnostics";
import { countedNotices, type Counted } from "../lib/notices";
import { useRunView } from "../store/context";
import type { Failure, Notice } from "../wire";
import { Icon, type IconName } from "./Icon";
import { Empty } from "./Empty";
import { AtLine } from "./Lines";

const LEVELS: Record<Notice["level"], IconName> = {
  info: "info",
  warning: "warning",
  error: "cross",
};

/** Before what the run's own process did not say. */
const SERVICE = <strong>Fuselab, of this run: </strong>;

export function OutputPane() {
  const report = useRunView().report.value;
  const { output, notices, toolchain, device } = report;
  const failed = failures(report);
  const versions = Object.entries(toolchain);
  if (failed.length + notices.length + versions.length === 0 && !output.stdout && !output.stderr) {
    return <Empty pane="output" />;
  }
  return (
    <div class="pane scroll output" tabIndex={0}>
      {failed.map((failure, index) => (
        <FailureText key={index} failure={failure} />
      ))}
      {countedNotices(report).map((counted, index) => (
        <NoticeText key={index} {...counted} />
      ))}
      <Stream name="Printed" text={output.stdout} />
      <Stream name="Printed to stderr" text={output.stderr} />
      <p class="note">
        {[device.name, ...versions.map(([name, version]) => `${name} ${version}`)]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </div>
  );
}

function FailureText({ failure }: { failure: Failure }) {
  return (
    <div class="notice error">
      <Icon name="cross" label="Error" />
      <div>
        <p class="message">
          {failure.by_service && SERVICE}
          {sentence(failure)} <AtLine line={failure.line} />
        </p>
        {failure.traceback !== "" && <pre tabIndex={0}>{failure.traceback}</pre>}
      </div>
    </div>
  );
}

function NoticeText({ notice, count }: Counted) {
  return (
    <div class={`notice ${notice.level}`}>
      <Icon name={LEVELS[notice.level]} label={notice.level} />
      <p class="message">
        {notice.by_service && SERVICE}
        {notice.text} <AtLine line={notice.line} />
        {count > 1 && <span class="note"> {count} times</span>}
      </p>
    </div>
  );
}

function Stream({ name, text }: { name: string; text: string }) {
  const label = useRunView().called(name);
  if (text === "") return null;
  return (
    <section aria-label={label}>
      <h2 class="subhead">{name}</h2>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}
