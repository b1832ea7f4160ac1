import type { Connection } from '../../domain/connection.ts';
import type { ConnectionFacts } from '../../domain/connection-facts.ts';
import type { Contact } from '../../domain/contact.ts';
import { toContactOrigin } from '../../domain/contact-origin.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { Call } from './call.ts';
import { toContact } from './contacts.ts';
import { createFields } from './fields.ts';
import { type Resource, type Row, readCount } from './query.ts';
import { type Condition, count, type FieldName, select } from './soql.ts';
import { type Rows, readVisibleRows } from './visible-rows.ts';

/** Contacts by conditions: what the three ways to find them have in common. */
export function createReader({ call, connection, facts }: ReaderDeps): ContactReader {
  const fields = createFields(connection);
  const source = toContactOrigin(connection);
  return {
    read: ({ conditions, selection, also = [], resource = 'query', ...rest }) =>
      readVisibleRows(
        { call, facts, fields },
        {
          ...{ selection, also, resource },
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
  toContact(row: Row, selection: FieldSelection): Contact;
}

interface ReadAsk {
  readonly conditions: readonly Condition[];
  readonly selection: FieldSelection;
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
