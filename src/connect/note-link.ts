import type { VisitedLink } from '../domain/connect-flow.ts';
import type { Journal } from '../domain/journal.ts';

/** For the log: which application's link it was, never its token. */
export function noteLink(journal: Journal, operation: string, visited: VisitedLink | undefined): void {
  journal.note({ operation, application: visited?.applicationName });
  const customer = visited?.link.customerId;
  // The log has no email.
  if (customer !== undefined && !customer.includes('@')) journal.note({ customer });
}
