import { RemoteFailure } from '../../domain/remote-failure.ts';
import { toLookupEmails } from './contacts.ts';

/**
 * The domain of the primary address is a property of its own and compared exactly. Further addresses stand in one text:
 * how it is divided into tokens is not documented, so a whole address and the words of the domain are both asked for.
 * Each group finds more than it should at most: every record is looked at again.
 */
export function toFilterGroups(domain: string, { position, reach }: GroupOptions): readonly FilterGroup[] {
  const ways = [
    { propertyName: 'hs_email_domain', operator: 'EQ', value: domain },
    ...(reach === 'all addresses'
      ? [
          { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: `*@${domain}` },
          { propertyName: 'hs_additional_emails', operator: 'CONTAINS_TOKEN', value: domain },
        ]
      : []),
  ];
  return ways.map((way) => ({ filters: position ? [way, position] : [way] }));
}

/** Whether HubSpot compares an enumeration by token is not documented either: a portal may refuse the question. */
export function isFilterRefused(error: unknown): boolean {
  if (!(error instanceof RemoteFailure) || error.answer.status !== 400) return false;
  return /hs_additional_emails|CONTAINS_TOKEN/.test(error.answer.body);
}

/** The index answers by what a record was, and finds by tokens: has the record an address in the domain now? */
export function isInDomain(record: unknown, domain: string): boolean {
  for (const email of toLookupEmails(record)) {
    if (email.slice(email.lastIndexOf('@') + 1) === domain) return true;
  }
  return false;
}

export type Reach = 'all addresses' | 'primary address';

export interface Filter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value: string;
}

interface FilterGroup {
  readonly filters: readonly Filter[];
}

interface GroupOptions {
  /** Holds in each group. */
  readonly position: Filter | undefined;
  readonly reach: Reach;
}
