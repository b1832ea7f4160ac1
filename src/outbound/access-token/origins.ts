import { isIP } from 'node:net';
import { CrossbookError } from '../../domain/errors.ts';
import { checkInstanceUrl } from '../../domain/instance-url.ts';

/**
 * The one origin that may be sent a connection's secrets. What is stored was checked when it came in; it is checked
 * again, because the rules may have become stricter since.
 */
export function resolveOrigin(instanceUrl: string | null, rules: OriginRules): string {
  if (instanceUrl !== null) {
    const checked = checkInstanceUrl(instanceUrl, rules);
    if ('problem' in checked) {
      throw unusable(`The connection's instance URL cannot be used: ${checked.problem}.`);
    }
    if (rules.sandboxOrigins.includes(checked.origin)) return checked.origin;
  }
  const origin = rules.originOf(instanceUrl);
  if (origin === undefined) throw unusable('The connection needs an instance URL to be called.');
  const { protocol, hostname, origin: plain } = new URL(origin);
  if (protocol !== 'https:' || isIP(hostname) || plain !== origin) {
    throw new Error('A provider declares an origin that is no plain https host.');
  }
  return origin;
}

function unusable(detail: string): CrossbookError {
  return new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

export interface OriginRules {
  /** The provider's instance hosts. */
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** As the provider declares it, for its API or for its token endpoint. */
  originOf(instanceUrl: string | null): string | undefined;
}
