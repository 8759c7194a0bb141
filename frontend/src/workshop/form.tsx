/** The forms at the door of a workshop. */
import { useState } from "preact/hooks";
import { read, write } from "../store/storage";

const NAME = "fuselab.name";

/** Where the server has the manual of whoever leads. */
export const MANUAL = "/docs/workshops.md";

/** The name that one gave is there the next time. */
export const storeName = (name: string): void => write("localStorage", NAME, name);

export const storedName = (): string => read("localStorage", NAME) ?? "";

export type Fields = Record<string, string>;

interface FormProps {
  /** For a button that stands elsewhere. */
  id?: string;
  label: string;
  act: string;
  submit: (fields: Fields) => Promise<void>;
  children: preact.ComponentChildren;
}

export function Form({ id, label, act, submit, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    await submit(fieldsOf(event));
    setBusy(false);
  };
  return (
    <form id={id} class="workshop-form" aria-label={label} onSubmit={(event) => void send(event)}>
      {children}
      <button class="primary" disabled={isBusy}>
        {act}
      </button>
    </form>
  );
}

interface NameProps {
  /** One begins to write there. */
  isFirst?: boolean;
  /** What whoever gives none is called; "": one has to. */
  otherwise?: string;
}

export const Name = ({ isFirst = false, otherwise = "" }: NameProps) => (
  <label>
    Your name{" "}
    <input
      ref={isFirst ? begin : null}
      name="name"
      required={otherwise === ""}
      placeholder={otherwise}
      maxLength={40}
      autoComplete="nickname"
      defaultValue={storedName()}
    />
  </label>
);

const begin = (input: HTMLInputElement | null): void => {
  if (document.activeElement === document.body) input?.focus();
};

export const PassPhrase = ({ says = "Pass phrase" }: { says?: string }) => (
  <label>
    {says} <input name="phrase" type="password" maxLength={100} autoComplete="off" />
  </label>
);

/** With the name and value of the button that was pressed, if it has them. */
export const fieldsOf = ({ currentTarget, submitter }: SubmitEvent): Fields =>
  Object.fromEntries(
    [...new FormData(currentTarget as HTMLFormElement, submitter)].map(([k, v]) => [k, String(v)]),
  );
