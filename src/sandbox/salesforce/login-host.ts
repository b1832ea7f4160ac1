import type { SalesforceAccount } from './types.ts';

/**
 * The common login host is the sandbox's own address, which every browser finds. The others are names below `localhost`,
 * which lead to this machine: `northwind.my.salesforce.com` becomes `northwind.my.salesforce.localhost:4011`.
 */
export function toLoginOrigin(host: string, origin: string): string {
  if (host === 'login.salesforce.com') return origin;
  const { protocol, port } = new URL(origin);
  const name = host.replace(/\.salesforce\.com$/, '.salesforce');
  return `${protocol}//${name}.localhost:${port}`;
}

/** Whom a login host lets in: the common one the productive organisations, `test` the others, a My Domain its own. */
export function readLoginHost(host: string | undefined): LoginHost {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
  const own = /^(.+)\.my\.salesforce\.localhost$/.exec(name)?.[1];
  if (own !== undefined) return { kind: 'own', label: own };
  return { kind: name === 'test.salesforce.localhost' ? 'test' : 'login' };
}

export function isAtHome({ slug, quirks }: SalesforceAccount, host: LoginHost): boolean {
  if (host.kind === 'own') return host.label === (quirks.isTestOrg ? `${slug}.sandbox` : slug);
  return quirks.isTestOrg === (host.kind === 'test');
}

type LoginHost = { readonly kind: 'login' | 'test' } | { readonly kind: 'own'; readonly label: string };
