import { type Attack, HUBSPOT } from '../support/connect-attack.ts';
import { openBrowser } from '../support/connect-browser.ts';
import type { ConnectWorld, WorldLink } from '../support/connect-world.ts';

/** What is tried, and the status that it gets. Whatever is done before `mark` is as it should be, and nothing after it counts. */
export const LINK_ATTACKS: readonly Attack[] = [
  ...Object.entries({
    'a user name': 'http://localhost:3000@evil.example/',
    'an encoded user name': 'http://localhost%3A3000@evil.example/',
    'a backslash': 'http://localhost:3000\\@evil.example/',
    'a backslash in place of slashes': 'http:\\\\evil.example/',
    'another port': 'http://localhost:3999/',
    'no port': 'http://localhost/',
    'another scheme': 'https://localhost:3000/',
    'a script': 'javascript:alert(1)',
    data: 'data:text/html,x',
    'no scheme': '//localhost:3000/',
    'a look-alike behind': 'http://localhost:3000.evil.example/',
    'a look-alike in front': 'http://evil-localhost:3000/',
    'a host below': 'http://a.localhost:3000/',
    'a dot at the end': 'http://localhost.:3000/',
    'a tab': 'http://local\thost:3000/',
    'a letter that looks the same': 'http://localhоst:3000/',
    'a fragment': 'http://localhost:3000/#x',
    'a port with a zero': 'http://localhost:03000/',
    nothing: '',
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
    'that is cut': (token) => token.slice(0, -1),
    'that is longer': (token) => `${token}A`,
    'with another’s signature': (token, other) => swap(token, other, 3),
    'with another’s content': (token, other) => swap(token, other, 2),
    'signed with a key that is not there': (token) => token.replace('.test.', '.none.'),
    'without a signature': (token) => token.split('.').slice(0, 3).join('.'),
    'in capitals': (token) => token.toUpperCase(),
    'that is a link’s bare id': () => '0d9c2f7e-6c1f-4a35-9f0e-3a1c5b7d9e11',
  }).map(
    ([what, change]): Attack => [
      `a token ${what}`,
      404,
      async (world, mark) => {
        const [link, other] = [await world.link(), await world.link()];
        const forged = change(tokenOf(link), tokenOf(other));
        await mark();
        const started = await link.browser.start(`http://localhost:4000/connect/${forged}`, HUBSPOT);
        if (started.status !== 404) return started;
        return link.browser.visit(`http://localhost:4000/connect/${forged}`);
      },
    ],
  ),
  [
    'a page’s cursor in place of a token',
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
    'a scanner that opens the start with GET',
    405,
    async (world, mark) => {
      const link = await world.link();
      await mark();
      return link.browser.visit(`${link.url}/start`);
    },
  ],
  ...Object.entries<Record<string, string>>({
    'another site': { 'sec-fetch-site': 'cross-site' },
    'a sibling of the site': { 'sec-fetch-site': 'same-site' },
    'another site, in an old browser': { 'sec-fetch-site': '', origin: 'https://evil.example' },
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
  ...[{ provider: 'salesforce' }, { provider: 'pipedrive' }, { provider: '__proto__' }, {}].map(
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
          login: 'https://login.salesforce.com',
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
