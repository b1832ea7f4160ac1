import { isIPv6 } from 'node:net';
import type { ProviderName } from '../domain/provider-names.ts';

/** Where a browser on this machine reaches the address that is listened on. */
export function toReachableUrl(host: string, port: number): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return `http://localhost:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** What the start prints: where to go, and with what. */
export function formatStartupMessage({ url, demo, notes }: Welcome): string {
  const lines = [
    '',
    `  Crossbook is ready at ${url}`,
    '',
    `  GraphiQL   ${url}/graphql`,
    `  REST       ${url}/docs`,
    ...(demo ? [`  API key    ${demo.key}   (demo application, customer "${demo.customerId}")`] : []),
    ...notes.map((note) => `  ${note}`),
    '',
    ...(demo ? ['  Try it:', '', toDemoCommand(url, demo), ''] : []),
  ];
  return `${lines.join('\n')}\n`;
}

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

interface Welcome {
  readonly url: string;
  readonly demo: Demo | undefined;
  /** What the person who starts it should know, such as where a key file was made. */
  readonly notes: readonly string[];
}

/** What the default start has ready to be asked. */
export interface Demo {
  readonly key: string;
  readonly customerId: string;
}
