/** The door of a workshop: a name is all that it takes. And the desk at which one is opened. */
import { useState } from "preact/hooks";
import { joinWorkshop, openWorkshop, type Door as DoorView } from "../net/workshop";
import { read, write } from "../store/kept";
import { workshop } from "../store/page";
import { problem, room } from "./attending";

const NAME = "fuselab.name";

export function Door({ door }: { door: DoorView }) {
  const lead = leadSecret();
  const submit = (fields: Fields) => sitDown(door.code, fields, lead);
  return (
    <Form label={`Join ${door.title}`} act={lead ? "Lead from here" : "Join"} submit={submit}>
      <strong>{door.title}</strong>
      <Name />
      {door.wants_pass_phrase && !lead && <PassPhrase />}
      {door.locked && !lead && <span>The door is locked; those who were inside come back in.</span>}
    </Form>
  );
}

export function Opening() {
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    location.assign(`/w/${encodeURIComponent(fieldsOf(event).code ?? "")}`);
  };
  return (
    <>
      <Form label="Open a workshop" act="Open a workshop" submit={openOne}>
        <label>
          Title <input name="title" required maxLength={80} placeholder="Why is it not faster?" />
        </label>
        <Name />
        <PassPhrase says="Pass phrase, if wanted" />
      </Form>
      <form class="workshop-form" aria-label="Join a workshop" onSubmit={go}>
        <label>
          or the code of one <input name="code" required size={10} placeholder="k7mq-2p9x" />
        </label>
        <button>Go to it</button>
      </form>
    </>
  );
}

type Fields = Record<string, string>;

interface FormProps {
  label: string;
  act: string;
  submit: (fields: Fields) => Promise<void>;
  children: preact.ComponentChildren;
}

function Form({ label, act, submit, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    await submit(fieldsOf(event));
    setBusy(false);
  };
  return (
    <form class="workshop-form" aria-label={label} onSubmit={(event) => void send(event)}>
      {children}
      <button class="primary" disabled={isBusy}>
        {act}
      </button>
    </form>
  );
}

const Name = () => (
  <label>
    Your name{" "}
    <input
      name="name"
      required
      maxLength={40}
      autoComplete="nickname"
      defaultValue={read("localStorage", NAME) ?? ""}
    />
  </label>
);

const PassPhrase = ({ says = "Pass phrase" }: { says?: string }) => (
  <label>
    {says} <input name="phrase" type="password" maxLength={100} autoComplete="off" />
  </label>
);

const fieldsOf = (event: SubmitEvent): Fields =>
  Object.fromEntries(
    [...new FormData(event.currentTarget as HTMLFormElement)].map(([k, v]) => [k, String(v)]),
  );

/** What a leader link proves. */
const leadSecret = (): string =>
  new URLSearchParams(location.hash.replace(/^#/, "")).get("lead") ?? "";

async function openOne({ title = "", name = "", phrase = "" }: Fields): Promise<void> {
  const answer = await openWorkshop({ title, name, pass_phrase: phrase, options: {} });
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  write("localStorage", NAME, name);
  history.replaceState(null, "", `/w/${answer.value.code}`);
  workshop.value = answer.value.code;
}

async function sitDown(
  code: string,
  { name = "", phrase = "" }: Fields,
  lead: string,
): Promise<void> {
  const answer = await joinWorkshop(code, name, phrase, lead);
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  write("localStorage", NAME, name);
  if (lead !== "") history.replaceState(null, "", location.pathname);
  room.value = answer.value;
}
