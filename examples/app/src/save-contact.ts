import { useRef } from 'react';
import { type CombinedError, useClient } from 'urql';
import type { CrmInfo } from './crms.ts';
import {
  AddContactDocument,
  ChangeContactDocument,
  type WriteResultFragment,
} from './operations.generated.ts';
import { type Failure, readFailure } from './read-failure.ts';

/** Returns a function that checks the values of a form by a dry run, and then writes them. */
export function useSaveContact({ provider, title }: CrmInfo, contact: EditedContact | undefined) {
  const client = useClient();
  const last = useRef({ text: '', key: '' });

  return async (values: Values, { mayChange }: { readonly mayChange: boolean }): Promise<Saved> => {
    const checked = await write(values, { dryRun: true });
    if (checked.kind !== 'done') return checked;
    // Somebody has this contact already: the user decides.
    if (!contact && checked.outcome === 'UPDATED' && !mayChange)
      return { kind: 'exists', existing: values.email };
    const done = await write(values, { idempotencyKey: toKey(values) });
    if (done.kind !== 'done') return done;
    if (done.outcome === 'UNKNOWN')
      return {
        kind: 'failed',
        failure: {
          title: `${title} has not confirmed this`,
          detail: 'It may be saved or not. Try again: nothing is saved twice.',
          code: 'UNKNOWN',
        },
      };
    return { kind: 'saved', contactId: done.contactId, warnings: done.warnings };
  };

  async function write(values: Values, how: How): Promise<Done | Failed> {
    if (contact) {
      const record = {
        remoteId: contact.remoteId,
        ifUnmodifiedSince: contact.lastModifiedAt,
        changes: toChanges(values, null),
      };
      const input = { provider, records: [record], ...how };
      const { data, error } = await client.mutation(ChangeContactDocument, { input }).toPromise();
      return read(data?.updateContacts?.results[0], error, 'updateContacts');
    }
    const record = { email: values.email, changes: toChanges(values, undefined) };
    const input = { provider, records: [record], ...how };
    const { data, error } = await client.mutation(AddContactDocument, { input }).toPromise();
    return read(data?.upsertContacts?.results[0], error, 'upsertContacts');
  }

  function read(
    result: WriteResultFragment | undefined,
    error: CombinedError | undefined,
    alias: string,
  ): Done | Failed {
    if (!result)
      return { kind: 'failed', failure: readFailure(error, alias, title) ?? NOTHING_RETURNED };
    const { outcome, problems, warnings } = result;
    if (outcome === 'REFUSED')
      return {
        kind: 'refused',
        // The last step of the path is the name of the form's field.
        problems: problems.map(({ field, message }) => ({ name: field?.at(-1) ?? '', message })),
      };
    return {
      kind: 'done',
      outcome,
      contactId: result.contact?.id,
      warnings: warnings.map(({ message }) => message),
    };
  }

  /** The same values have the same key, so that a second click or a retry does not write twice. */
  function toKey(values: Values): string {
    const text = JSON.stringify(values);
    if (last.current.text !== text)
      last.current = { text, key: crypto.getRandomValues(new Uint32Array(4)).join('-') };
    return last.current.key;
  }
}

/** An empty field clears the value of an existing contact (null), and is left out of a new one. */
function toChanges({ firstName, lastName, jobTitle }: Values, empty: null | undefined) {
  return {
    firstName: firstName || empty,
    lastName: lastName || empty,
    customFields: { jobTitle: jobTitle || empty },
  };
}

const NOTHING_RETURNED: Failure = {
  title: 'Something went wrong',
  detail: 'Try again. If it happens again, tell us.',
  code: '',
};

export interface Values {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly jobTitle: string;
}

export interface EditedContact {
  readonly remoteId: string;
  readonly lastModifiedAt: string | null;
  readonly values: Values;
}

type How = { readonly dryRun: true } | { readonly idempotencyKey: string };

interface Done {
  readonly kind: 'done';
  readonly outcome: WriteResultFragment['outcome'];
  readonly contactId: string | undefined;
  readonly warnings: readonly string[];
}

type Failed =
  | { readonly kind: 'failed'; readonly failure: Failure }
  | {
      readonly kind: 'refused';
      readonly problems: readonly { readonly name: string; readonly message: string }[];
    };

type Saved =
  | Failed
  | { readonly kind: 'exists'; readonly existing: string }
  | {
      readonly kind: 'saved';
      readonly contactId: string | undefined;
      readonly warnings: readonly string[];
    };
