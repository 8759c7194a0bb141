/** What of the workshop can be handed on, and for whoever leads it how long it stays: as of a run. */
import { Act, Copy, Field, Section, useSay } from "../share/Section";
import { problem, room, setKept, you } from "./room/attending";

export function RoomShare() {
  const say = useSay();
  const now = room.value;
  if (now === null) return null;
  const link = new URL(`/w/${now.code}`, location.origin).href;
  const keep = async () => {
    if (!(await setKept(!now.kept))) say(problem.peek() ?? "");
  };
  const act = now.kept ? "Let it end after 30 days" : "Keep it for good";
  return (
    <Section
      title="This workshop"
      about={`Whoever has the link may join. ${now.kept ? "It is kept for good." : "It ends 30 days after it was last used."}`}
    >
      <Field name="The workshop's link" value={link} />
      <Copy what="Workshop link" make={async () => ({ ok: true, text: link, note: "" })} />
      {you.value?.leads && (
        <Act icon="pin" label={act} onClick={() => void keep()}>
          {act}
        </Act>
      )}
    </Section>
  );
}
