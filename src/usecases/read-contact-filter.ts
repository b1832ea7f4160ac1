import type { ContactFilter, ContactFilterInput } from '../domain/contact-search.ts';
import { isEmailDomain, readEmail } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';

export const MAX_EMAILS = 1_000;

/** Checks a filter: exactly one way to search, and what is searched for must be able to exist. */
export function readContactFilter({ email, emails, emailDomain }: ContactFilterInput): ContactFilter {
  const given = [email, emails, emailDomain].filter((value) => value !== undefined && value !== null);
  if (given.length !== 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'The filter takes exactly one of: email, a list of emails, an email domain.',
    );
  }
  if (typeof emailDomain === 'string') return { by: 'domain', domain: readDomain(emailDomain) };
  return { by: 'emails', emails: readEmails(typeof email === 'string' ? [email] : (emails ?? [])) };
}

/** Tells one filter from another. No address and no domain has a line break in it. */
export function filterCacheKey(filter: ContactFilter): string {
  return filter.by === 'emails' ? filter.emails.join('\n') : `@${filter.domain}`;
}

function readEmails(emails: readonly string[]): readonly string[] {
  if (emails.length > MAX_EMAILS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${MAX_EMAILS} emails; these are ${emails.length}.`,
    );
  }
  const found = new Set<string>();
  for (const [index, text] of emails.entries()) {
    const email = readEmail(text);
    if (email === undefined) {
      const which = emails.length === 1 ? 'The filter’s email' : `Email ${index + 1} of the filter`;
      throw new CrossbookError('UNPROCESSABLE_ENTITY', `${which} is not an email address.`);
    }
    found.add(email);
  }
  return [...found];
}

function readDomain(domain: string): string {
  const normalised = domain.trim().toLowerCase();
  if (isEmailDomain(normalised)) return normalised;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', 'The filter’s email domain is not a domain name.');
}
