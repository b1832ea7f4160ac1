import type { Authorization } from './authorization.ts';
import { checkInstanceUrl, type InstanceUrlProblem } from './instance-url.ts';

/**
 * The origin that a customer logs in at, as an application or the customer names it: `acme.my.salesforce.com`, or any page
 * there. Null: the provider's usual one. Checked as strictly as what tokens are sent to, because codes are.
 */
export function checkLoginUrl(
  text: string | null,
  { logins, loginHosts }: Pick<Authorization, 'logins' | 'loginHosts'>,
): LoginUrl | InstanceUrlProblem {
  if (text === null) return { origin: logins[0].origin };
  const trimmed = text.trim().replace(/[?#].*$/s, '');
  const url = SCHEME.test(trimmed) ? trimmed : `https://${trimmed}`;
  const checked = checkInstanceUrl(url, { hosts: loginHosts, sandboxOrigins: [] });
  return 'problem' in checked ? checked : { origin: checked.origin };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

export interface LoginUrl {
  readonly origin: string;
}
