/** The door of a workshop: a name is all that it takes. */
import { joinWorkshop, type Door as DoorView } from "../net/workshop";
import { notify } from "../store/page";
import { problem, room } from "./room/attending";
import { cameByForm } from "./coming";
import { dropSecret, isShut, leadSecret } from "./leading";
import { Form, storeName, Name, PassPhrase, type Fields } from "./form";

export function Door({ door }: { door: DoorView }) {
  const lead = leadSecret();
  if (door.removed && !lead) return <Removed door={door} />;
  if (isShut(door, lead)) return <Locked door={door} />;
  const submit = (fields: Fields) => sitDown(door.code, fields, lead);
  return (
    <Form label={`Join ${door.title}`} act={lead ? "Lead from here" : "Join"} submit={submit}>
      <strong>{door.title}</strong>
      <span class="workshop-about">
        {inWords(door.leaders)} this workshop: you write and run snippets of your own, follow what
        is shown, and are seen by the name that you give.
      </span>
      <Name isFirst />
      {door.wants_pass_phrase && !lead && <PassPhrase />}
      {door.locked && !lead && <span>The door is locked; you were inside, and come back in.</span>}
    </Form>
  );
}

const Locked = ({ door }: { door: DoorView }) => (
  <p role="status">
    <strong>{door.title}</strong>: the door is locked, and nobody new comes in. Ask{" "}
    {door.leaders.join(" or ") || "whoever leads it"} to unlock it; this page sees by itself when it
    is open.
  </p>
);

const Removed = ({ door }: { door: DoorView }) => (
  <p role="status">
    <strong>{door.title}</strong>: you were removed from this workshop. Ask{" "}
    {door.leaders.join(" or ") || "whoever leads it"} to let you back in; this page sees it by
    itself.
  </p>
);

/** Who leads. */
function inWords(leaders: readonly string[]): string {
  if (leaders.length === 0) return "Nobody leads";
  return `${leaders.join(" and ")} ${leaders.length > 1 ? "lead" : "leads"}`;
}

async function sitDown(
  code: string,
  { name = "", phrase = "" }: Fields,
  lead: string,
): Promise<void> {
  const answer = await joinWorkshop(code, name, phrase, lead);
  // A link that does not lead here: what is left is to join as the others do.
  if (!answer.ok && answer.status === 403) dropSecret();
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  storeName(name);
  const seated = answer.value.seats.find(({ id }) => id === answer.value.you)?.name ?? name;
  if (seated !== name.trim()) notify(`Somebody here has that name already: you are ${seated}.`);
  dropSecret();
  cameByForm();
  room.value = answer.value;
}
