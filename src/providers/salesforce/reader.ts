import type { Connection } from '../../domain/connection.ts';
import type { Contact } from '../../domain/contact.ts';
import { toContactSource } from '../../domain/contact-source.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import type { Want } from '../../domain/want.ts';
import type { Call } from './call.ts';
import { toContact } from './contacts.ts';
import { failureOf } from './failure.ts';
import { type ContactFields, createFields } from './fields.ts';
import { type Row, readCount, readRows } from './query.ts';
import { type Condition, count, type FieldName, select } from './soql.ts';

/** Contacts by conditions: what the three ways to find them have in common. */
export function createReader(call: Call, connection: Connection): ContactReader {
  const fields = createFields(connection);
  const source = toContactSource(connection);
  return {
    async read({ conditions, want, ...rest }) {
      const ask = (names: readonly FieldName[]) =>
        readRows(
          call,
          conditions.map((where) => select({ fields: names, where, ...rest })),
        );
      return readVisible(fields, want, ask);
    },
    count: (condition) => readCount(call, count(condition)),
    toContact: (row, { rawData }) => toContact(row, { source, rawData }),
  };
}

/**
 * Orgs hide fields from the user that they connect with, and Salesforce refuses a whole query for one of them. A
 * common field that is hidden is left out, one by one; a mapped one is the customer's own mistake, and said so.
 */
async function readVisible<T>(
  fields: ContactFields,
  want: Want,
  ask: (names: readonly FieldName[]) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await ask(fields.names(want));
    } catch (error) {
      const column = missingColumn(error);
      if (column === undefined || !fields.hide(column)) throw explain(error, column, fields);
    }
  }
}

function explain(error: unknown, column: string | undefined, fields: ContactFields): unknown {
  const mapping = column === undefined ? undefined : fields.mappingOf(column);
  if (mapping === undefined || !(error instanceof RemoteFailure)) return error;
  const detail = `The field mapping "${mapping.schemaField}" names the Contact field "${mapping.mappedField}", which Salesforce does not have or does not show to the connected user`;
  return new RemoteFailure('REMOTE_PROVIDER_ERROR', detail, error.answer);
}

function missingColumn(error: unknown): string | undefined {
  const { errorCode, message } = failureOf(error);
  if (errorCode !== 'INVALID_FIELD' || message === null) return undefined;
  return /(?:No such column|Didn't understand relationship) '(?:\w+\.)?(\w+)'/.exec(message)?.[1];
}

export interface ContactReader {
  /** The rows of all conditions together, in the pages that they came in. */
  read(ask: ReadAsk): Promise<readonly (readonly Row[])[]>;
  count(condition: Condition): Promise<number>;
  toContact(row: Row, want: Want): Contact;
}

interface ReadAsk {
  readonly conditions: readonly Condition[];
  readonly want: Want;
  readonly order?: 'ascending' | 'descending';
  readonly limit?: number;
}
