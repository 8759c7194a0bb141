/** Where the time of one call goes: a lane for each compiler on one scale, and all events as a table. */
import { useMemo } from "preact/hooks";
import { asTable, chromeTrace } from "../lib/timeline";
import { useRunView } from "../store/context";
import { download } from "../store/page";
import { Empty } from "./Empty";
import { Icon } from "./Icon";
import { TableView } from "./TableView";
import { TimelinePlot } from "./TimelinePlot";

export function TimelinePane() {
  const { program } = useRunView();
  const current = program.value;
  const table = useMemo(() => current && asTable(current), [current]);
  if (!current || !table || current.timelines.length === 0) return <Empty pane="timeline" />;
  const lanes = current.timelines;
  return (
    <TableView
      table={table}
      file="timeline.csv"
      above={<TimelinePlot key={current.name} lanes={lanes} />}
    >
      <button
        class="quiet"
        title="For Perfetto, or chrome://tracing"
        onClick={() => download("timeline.json", chromeTrace(current))}
      >
        <Icon name="download" /> Chrome trace
      </button>
    </TableView>
  );
}
