import type { SalesforceAccount } from './types.ts';

/**
 * The production login host is the sandbox's own address. The others are names below `localhost`, which browsers
 * resolve to this machine: `northwind.my.salesforce.com` becomes `northwind.my.salesforce.localhost:4011`.
 */
export function toLoginOrigin(host: string, origin: string): string {
  if (host === 'login.salesforce.com') return origin;
  const { protocol, port } = new URL(origin);
  const name = host.replace(/\.salesforce\.com$/, '.salesforce');
  return `${protocol}//${name}.localhost:${port}`;
}

/**
 * The orgs that a login host accepts: the production host production orgs, `test` test orgs, a My Domain its own.
 */
export function readLoginHost(host: string | undefined): LoginHost {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
  const own = /^(.+)\.my\.salesforce\.localhost$/.exec(name)?.[1];
  if (own !== undefined) return { kind: 'own', label: own };
  return { kind: name === 'test.salesforce.localhost' ? 'test' : 'login' };
}

export function acceptsLogin({ slug, quirks }: SalesforceAccount, host: LoginHost): boolean {
  if (host.kind === 'own') return host.label === (quirks.isTestOrg ? `${slug}.sandbox` : slug);
  return quirks.isTestOrg === (host.kind === 'test');
}

type LoginHost =
  | { readonly kind: 'login' | 'test' }
  | { readonly kind: 'own'; readonly label: string };
