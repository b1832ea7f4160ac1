import type { Connection } from '../../domain/connection.ts';
import type { ConnectionFacts } from '../../domain/connection-facts.ts';
import type { Contact } from '../../domain/contact.ts';
import { toContactSource } from '../../domain/contact-source.ts';
import type { Want } from '../../domain/want.ts';
import type { Call } from './call.ts';
import { toContact } from './contacts.ts';
import { createFields } from './fields.ts';
import { type Resource, type Row, readCount } from './query.ts';
import { type Condition, count, type FieldName, select } from './soql.ts';
import { type Rows, readVisibleRows } from './visible-rows.ts';

/** Contacts by conditions: what the three ways to find them have in common. */
export function createReader({ call, connection, facts }: ReaderDeps): ContactReader {
  const fields = createFields(connection);
  const source = toContactSource(connection);
  return {
    read: ({ conditions, want, also = [], resource = 'query', ...rest }) =>
      readVisibleRows(
        { call, facts, fields },
        {
          ...{ want, also, resource },
          toQueries: (names) => conditions.map((where) => select({ fields: names, where, ...rest })),
        },
      ),
    count: (condition) => readCount(call, count(condition)),
    toContact: (row, { rawData }) => toContact(row, { source, rawData }),
  };
}

export interface ContactReader {
  /** The rows of all conditions together, in the pages that they came in. */
  read(ask: ReadAsk): Promise<Rows>;
  count(condition: Condition): Promise<number>;
  toContact(row: Row, want: Want): Contact;
}

interface ReadAsk {
  readonly conditions: readonly Condition[];
  readonly want: Want;
  /** Fields that are selected whatever is wanted. */
  readonly also?: readonly FieldName[];
  readonly resource?: Resource;
  readonly order?: 'ascending' | 'descending';
  readonly limit?: number;
}

interface ReaderDeps {
  readonly call: Call;
  readonly connection: Connection;
  readonly facts: ConnectionFacts;
}
