import { openBrowser } from '../support/connect-browser.ts';
import type { ConnectWorld, WorldLink } from '../support/connect-world.ts';
import { type Attack, HUBSPOT } from './connect-attack.ts';

/**
 * Attacks on links, and the expected status. Steps before `mark` are legitimate; only what happens after it counts.
 */
export const LINK_ATTACKS: readonly Attack[] = [
  ...Object.entries({
    'a user name': 'http://localhost:3000@evil.example/',
    'an encoded user name': 'http://localhost%3A3000@evil.example/',
    'a backslash': 'http://localhost:3000\\@evil.example/',
    'a backslash in place of slashes': 'http:\\\\evil.example/',
    'another port': 'http://localhost:3999/',
    'no port': 'http://localhost/',
    'another scheme': 'https://localhost:3000/',
    'a javascript: URL': 'javascript:alert(1)',
    'a data: URL': 'data:text/html,x',
    'no scheme': '//localhost:3000/',
    'an allowed host as a prefix': 'http://localhost:3000.evil.example/',
    'an allowed host as a suffix': 'http://evil-localhost:3000/',
    'a subdomain': 'http://a.localhost:3000/',
    'a trailing dot in the host': 'http://localhost.:3000/',
    'a tab': 'http://local\thost:3000/',
    'a homoglyph': 'http://localhоst:3000/',
    'a fragment': 'http://localhost:3000/#x',
    'a port with a leading zero': 'http://localhost:03000/',
    'an empty string': '',
  }).map(
    ([what, return_url]): Attack => [
      `a return URL with ${what}`,
      422,
      async (world, mark) => {
        const customerId = await world.addCustomer();
        await mark();
        return world.create(customerId, { return_url });
      },
    ],
  ),
  ...[
    'https://evil.example',
    'https://login.salesforce.com.evil.example',
    'http://login.salesforce.com',
    'https://login.salesforce.com:8443',
    'https://login.salesforce.com@evil.example',
    'https://acme.lightning.force.com',
    'https://127.0.0.1',
  ].map(
    (login_url): Attack => [
      `a link whose customer would log in at ${login_url}`,
      422,
      async (world, mark) => {
        const customerId = await world.addCustomer();
        await mark();
        return world.create(customerId, { providers: ['salesforce'], login_url });
      },
    ],
  ),
  ...Object.entries<(token: string, other: string) => string>({
    'that is truncated': (token) => token.slice(0, -1),
    'with an extra character': (token) => `${token}A`,
    'with the signature of another link': (token, other) => swap(token, other, 3),
    'with the content of another link': (token, other) => swap(token, other, 2),
    'signed with an unknown key': (token) => token.replace('.test.', '.none.'),
    'without a signature': (token) => token.split('.').slice(0, 3).join('.'),
    'in capitals': (token) => token.toUpperCase(),
    'that is only the link’s id': () => '0d9c2f7e-6c1f-4a35-9f0e-3a1c5b7d9e11',
  }).map(
    ([what, change]): Attack => [
      `a token ${what}`,
      404,
      async (world, mark) => {
        const [link, other] = [await world.link(), await world.link()];
        const forged = change(tokenOf(link), tokenOf(other));
        await mark();
        const started = await link.browser.start(
          `http://localhost:4000/connect/${forged}`,
          HUBSPOT,
        );
        if (started.status !== 404) return started;
        return link.browser.visit(`http://localhost:4000/connect/${forged}`);
      },
    ],
  ),
  [
    'a pagination cursor in place of a token',
    404,
    async (world, mark) => {
      const page = await world.crossbook.rest(
        'POST',
        '/contacts/_search?page_size=1',
        { filter: { email_domain: 'example.com' } },
        { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' },
      );
      await mark();
      return openBrowser(world.crossbook.app).visit(
        `http://localhost:4000/connect/${page.body.pagination.next}`,
      );
    },
  ],
  ...['GET', 'HEAD'].map(
    (method): Attack => [
      `a scanner that follows the link with ${method}`,
      200,
      async (world, mark) => {
        const link = await world.link();
        await mark();
        await link.browser.visit(link.url, { method });
        await link.browser.visit(`${link.url}?utm_source=x`, { method });
        return link.browser.visit(link.url, { method });
      },
    ],
  ),
  [
    'a scanner that requests the start path with GET',
    405,
    async (world, mark) => {
      const link = await world.link();
      await mark();
      return link.browser.visit(`${link.url}/start`);
    },
  ],
  ...Object.entries<Record<string, string>>({
    'another site': { 'sec-fetch-site': 'cross-site' },
    'a sibling domain of the site': { 'sec-fetch-site': 'same-site' },
    'another site, in an old browser': { 'sec-fetch-site': '', origin: 'https://evil.example' },
    'a sandboxed frame, in an old browser': { 'sec-fetch-site': '', origin: 'null' },
    'a client that names no origin': { 'sec-fetch-site': '' },
  }).map(
    ([who, headers]): Attack => [
      `a form that ${who} sends`,
      403,
      async (world, mark) => {
        const link = await world.link();
        await mark();
        return link.browser.visit(`${link.url}/start`, { method: 'POST', form: HUBSPOT, headers });
      },
    ],
  ),
  ...[{ provider: 'salesforce' }, { provider: 'zendesk_sell' }, { provider: '__proto__' }, {}].map(
    (form): Attack => [
      `a form for ${JSON.stringify(form)}, which the link does not offer`,
      422,
      async (world, mark) => {
        const link = await world.link();
        await mark();
        return link.browser.start(link.url, form as Record<string, string>);
      },
    ],
  ),
  ...[
    'evil.example',
    'https://acme.my.salesforce.com@evil.example',
    'acme.my.salesforce.com.evil.example',
  ].map(
    (own_login): Attack => [
      `a customer’s own login page at ${own_login}`,
      422,
      async (world, mark) => {
        const link = await world.link({ providers: ['salesforce'] });
        await mark();
        return link.browser.start(link.url, {
          provider: 'salesforce',
          login: 'own',
          own_login,
        });
      },
    ],
  ),
  ...Object.entries<(world: ConnectWorld, link: WorldLink) => Promise<unknown>>({
    used: (world, link) => world.connect(link),
    'waiting for its code': (world, link) => world.goThrough(link),
    canceled: (world, { customerId, id }) =>
      world.crossbook.rest('DELETE', `/customers/${customerId}/connect_links/${id}`, undefined),
    expired: async ({ clock }) => {
      clock.offset += 16 * 60_000;
    },
  }).flatMap(([what, end]): Attack[] => [
    [
      `the page of a link that is ${what}`,
      410,
      async (world, mark) => {
        const link = await world.link();
        await end(world, link);
        await mark();
        return link.browser.visit(link.url);
      },
    ],
    [
      `the start of a link that is ${what}`,
      410,
      async (world, mark) => {
        const link = await world.link();
        await end(world, link);
        await mark();
        return link.browser.start(link.url, HUBSPOT);
      },
    ],
  ]),
];

function tokenOf({ url }: WorldLink): string {
  return url.split('/').at(-1) ?? '';
}

function swap(token: string, other: string, place: number): string {
  const parts = token.split('.');
  parts[place] = other.split('.')[place] ?? '';
  return parts.join('.');
}
