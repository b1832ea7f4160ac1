import { type FormEvent, useRef, useState } from 'react';
import type { CrmInfo } from './crms.ts';
import { FailureNote } from './failure-note.tsx';
import type { Failure } from './read-failure.ts';
import { type EditedContact, useSaveContact, type Values } from './save-contact.ts';

/**
 * Adds a contact to a CRM, or changes one. A dry run checks the values first, so that a problem is shown at its field
 * and nothing is written; the CRM may still refuse what only it knows.
 */
export function ContactForm({ crm, contact, onSaved }: ContactFormProps) {
  const save = useSaveContact(crm, contact);
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<State>(EMPTY);
  const [isBusy, setIsBusy] = useState(false);

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!form.current || isBusy) return;
    const values = Object.fromEntries(new FormData(form.current)) as unknown as Values;
    setIsBusy(true);
    const saved = await save(values, { mayChange: state.existing === values.email });
    setIsBusy(false);
    if (saved.kind === 'saved') return onSaved(saved.contactId, saved.warnings);
    setState({ ...EMPTY, ...saved });
  };

  const { problems, failure, existing } = state;
  const fields = new Set<string>(FIELDS.map(({ name }) => name));
  return (
    <form ref={form} className="contact-form" onSubmit={submit} noValidate aria-busy={isBusy}>
      {failure && <FailureNote failure={failure} isBusy={isBusy} onRetry={submit} />}
      {problems
        .filter(({ name }) => !fields.has(name))
        .map(({ message }) => (
          <p key={message} className="problem" role="alert">
            {message}
          </p>
        ))}
      {FIELDS.filter(({ name }) => !contact || name !== 'email').map(({ name, label, type }) => {
        const problem = problems.find((one) => one.name === name)?.message;
        return (
          <div key={name} className="field">
            <label htmlFor={name}>{label}</label>
            <input
              {...{ id: name, name, type, autoComplete: 'off' }}
              defaultValue={contact?.values[name] ?? ''}
              aria-invalid={problem !== undefined}
              aria-describedby={problem && `${name}-problem`}
            />
            {problem && (
              <p id={`${name}-problem`} className="problem" role="alert">
                {problem}
              </p>
            )}
          </div>
        );
      })}
      {existing !== undefined && (
        <p className="notice" role="status">
          {crm.title} already has a contact with the address {existing}. Save again to change that
          contact.
        </p>
      )}
      <button type="submit" disabled={isBusy}>
        {isBusy
          ? 'Saving…'
          : existing === undefined
            ? `Save in ${crm.title}`
            : 'Change the existing contact'}
      </button>
    </form>
  );
}

const FIELDS = [
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'firstName', label: 'First name', type: 'text' },
  { name: 'lastName', label: 'Last name', type: 'text' },
  { name: 'jobTitle', label: 'Job title', type: 'text' },
] as const;

interface State {
  readonly problems: readonly { readonly name: string; readonly message: string }[];
  readonly failure: Failure | undefined;
  /** The address of a contact that exists already. */
  readonly existing: string | undefined;
}
const EMPTY: State = { problems: [], failure: undefined, existing: undefined };

interface ContactFormProps {
  readonly crm: CrmInfo;
  /** Undefined: a new one. */
  readonly contact?: EditedContact;
  onSaved(contactId: string | undefined, warnings: readonly string[]): void;
}
