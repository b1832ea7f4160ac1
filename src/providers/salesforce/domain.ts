import type { Contact } from '../../domain/contact.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { KeysetRange } from '../../domain/provider.ts';
import { EMAIL, ID } from './contacts.ts';
import { emailOf } from './contacts-by-key.ts';
import type { ContactReader } from './reader.ts';
import { allOf, type Condition, compare, endsWith } from './soql.ts';

/** A run by record id: what comes and goes elsewhere in the list moves nothing. */
export async function readByDomain(reader: ContactReader, ask: DomainAsk): Promise<readonly Contact[]> {
  const { domain, run, selection } = ask;
  const forward = run.direction === 'forward';
  const contacts: Contact[] = [];
  let where = startingAt(domain, run);
  while (contacts.length < run.limit) {
    const limit = run.limit - contacts.length;
    const pages = await reader.read({
      conditions: [where],
      selection,
      order: forward ? 'ascending' : 'descending',
      limit,
    });
    for (const rows of pages) {
      for (const row of rows) {
        if (emailOf(row).endsWith(`@${domain}`)) contacts.push(reader.toContact(row, selection));
      }
    }
    const last = pages.findLast((rows) => rows.length > 0)?.at(-1)?.['Id'];
    const size = pages.reduce((sum, rows) => sum + rows.length, 0);
    if (size < limit || typeof last !== 'string') break;
    // Only where a hit was none after all there is something left to fetch.
    where = allOf([ofDomain(domain), compare(ID, forward ? '>' : '<', last)]);
  }
  return forward ? contacts : contacts.reverse();
}

export async function countByDomain(reader: ContactReader, domain: string): Promise<number> {
  return reader.count(ofDomain(domain));
}

function startingAt(domain: string, { direction, from }: KeysetRange): Condition {
  const all = ofDomain(domain);
  return from === undefined ? all : allOf([all, compare(ID, direction === 'forward' ? '>=' : '<=', from)]);
}

function ofDomain(domain: string): Condition {
  return endsWith(EMAIL, `@${domain}`);
}

interface DomainAsk {
  readonly domain: string;
  readonly run: KeysetRange;
  readonly selection: FieldSelection;
}
