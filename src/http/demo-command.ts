import type { ProviderName } from '../domain/provider-names.ts';

/** A first query that works when it is pasted into a terminal. */
export function toDemoCommand(
  url: string,
  { key, customerId }: Demo,
  provider: ProviderName = 'hubspot',
): string {
  const query =
    '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName lastName emailAddresses { emailAddress } } } }';
  return [
    `curl -s ${url}/graphql`,
    `-H 'content-type: application/json'`,
    `-H 'x-api-key: ${key}'`,
    `-H 'x-customer-id: ${customerId}'`,
    `-H 'x-provider-name: ${provider}'`,
    `-d '${JSON.stringify({ query })}'`,
  ].join(' \\\n  ');
}

/** As GraphiQL sends them. */
export function toDemoHeaders(demo: Demo | undefined): Record<string, string> {
  return demo ? { 'x-api-key': demo.key, 'x-customer-id': demo.customerId } : {};
}

/** What the default start has ready to be asked. */
export interface Demo {
  readonly key: string;
  readonly customerId: string;
}
