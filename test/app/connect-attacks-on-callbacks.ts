import { consent, openBrowser } from '../support/connect-browser.ts';
import type { ConnectWorld, WorldLink } from '../support/connect-world.ts';
import { type Attack, HUBSPOT } from './connect-attack.ts';

/** Attacks on the OAuth callback and with one-time codes. */
export const CALLBACK_ATTACKS: readonly Attack[] = [
  [
    'a callback after the link was canceled',
    410,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      await world.crossbook.rest(
        'DELETE',
        `/customers/${link.customerId}/connect_links/${link.id}`,
      );
      await mark();
      return link.browser.visit(callback);
    },
  ],
  [
    'a callback after the link has expired',
    410,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      world.clock.offset += 40 * 60_000;
      await mark();
      return link.browser.visit(callback);
    },
  ],
  [
    'a callback after the link has expired, in a browser that did not start the flow',
    400,
    async (world, mark) => {
      const { callback } = await begin(world);
      world.clock.offset += 40 * 60_000;
      await mark();
      return openBrowser(world.crossbook.app).visit(callback);
    },
  ],
  [
    'a callback in another tab, after the first has connected',
    410,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      await world.connect(link);
      await mark();
      return link.browser.visit(callback);
    },
  ],
  [
    'a replayed callback',
    410,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      await link.browser.visit(callback);
      await mark();
      return link.browser.visit(callback);
    },
  ],
  ...Object.entries<(callback: URL, other: URL) => void>({
    'without a state': (callback) => callback.searchParams.delete('state'),
    'with an invented state': (callback) => callback.searchParams.set('state', 'A'.repeat(43)),
    'with a very long state': (callback) => callback.searchParams.set('state', 'A'.repeat(4_000)),
    'with two states': (callback) => callback.searchParams.append('state', 'A'.repeat(43)),
    'with two codes': (callback) => callback.searchParams.append('code', 'x'),
    'for another provider': (callback) => {
      callback.pathname = '/connect/callback/salesforce';
    },
    'for a provider that does not exist': (callback) => {
      callback.pathname = '/connect/callback/__proto__';
    },
    'for a provider that does not use OAuth': (callback) => {
      callback.pathname = '/connect/callback/zendesk_sell';
    },
  }).map(
    ([what, change]): Attack => [
      `a callback ${what}`,
      404,
      async (world, mark) => {
        const { link, callback } = await begin(world);
        const url = new URL(callback);
        change(url, url);
        await mark();
        return link.browser.visit(url.href);
      },
    ],
  ),
  [
    'a callback with the state of another user’s flow',
    400,
    async (world, mark) => {
      const [mine, theirs] = [await begin(world), await begin(world)];
      await mark();
      return mine.link.browser.visit(theirs.callback);
    },
  ],
  [
    'the attacker’s code with the state of another user, sent with the attacker’s cookie',
    400,
    async (world, mark) => {
      const [mine, theirs] = [await begin(world), await begin(world)];
      const url = new URL(mine.callback);
      url.searchParams.set('state', new URL(theirs.callback).searchParams.get('state') ?? '');
      await mark();
      return mine.link.browser.visit(url.href);
    },
  ],
  [
    'a callback in a browser that did not start the flow (forwarded mid-flow)',
    400,
    async (world, mark) => {
      const { callback } = await begin(world);
      await mark();
      return openBrowser(world.crossbook.app).visit(callback);
    },
  ],
  [
    'a callback whose cookie has the right name and another value',
    400,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      for (const name of link.browser.cookies.keys())
        link.browser.cookies.set(name, 'A'.repeat(43));
      await mark();
      return link.browser.visit(callback);
    },
  ],
  [
    'a callback with HEAD, as a link scanner sends it',
    405,
    async (world, mark) => {
      const { link, callback } = await begin(world);
      await mark();
      return link.browser.visit(callback, { method: 'HEAD' });
    },
  ],
  [
    'a denial without a state from a browser that did not start a flow',
    400,
    async (world, mark) => {
      await begin(world);
      await mark();
      return openBrowser(world.crossbook.app).visit(DENIAL);
    },
  ],
  [
    'a denial without a state for another provider',
    400,
    async (world, mark) => {
      const { link } = await begin(world);
      await mark();
      return link.browser.visit(DENIAL.replace('hubspot', 'salesforce'));
    },
  ],
  [
    'a denial without a state where two links are open in one browser',
    400,
    async (world, mark) => {
      const [first, second] = [await world.link(), await world.link()];
      await first.browser.start(first.url, HUBSPOT);
      await first.browser.start(second.url, HUBSPOT);
      await mark();
      return first.browser.visit(DENIAL);
    },
  ],
  ...Object.entries<(world: ConnectWorld) => Record<string, string>>({
    'another application’s key': ({ otherKey }) => ({ 'x-api-key': otherKey }),
  }).map(
    ([what, headers]): Attack => [
      `the right code with ${what}`,
      404,
      async (world, mark) => {
        const link = await world.link();
        const { code } = await world.goThrough(link);
        await mark();
        return confirm(world, link, code, headers(world));
      },
    ],
  ),
  [
    'the right code with a customer token',
    403,
    async (world, mark) => {
      const link = await world.link();
      const { code } = await world.goThrough(link);
      const { body } = await world.crossbook.rest(
        'POST',
        `/customers/${link.customerId}/tokens`,
        {},
      );
      await mark();
      const path = `http://crossbook.test/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
      return openBrowser(world.crossbook.app).visit(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
        json: { code },
      });
    },
  ],
  [
    'the code of another link',
    409,
    async (world, mark) => {
      const [mine, theirs] = [await world.link(), await world.link()];
      const { code } = await world.goThrough(mine);
      await world.goThrough(theirs);
      await mark();
      return confirm(world, theirs, code);
    },
  ],
  [
    'a link of one customer under the path of another customer',
    404,
    async (world, mark) => {
      const link = await world.link();
      const { code } = await world.goThrough(link);
      const customerId = await world.addCustomer();
      await mark();
      return confirm(world, { ...link, customerId }, code);
    },
  ],
  [
    'a code that is redeemed twice',
    409,
    async (world, mark) => {
      const link = await world.link();
      const { code } = await world.goThrough(link);
      await confirm(world, link, code);
      await mark();
      return confirm(world, link, code);
    },
  ],
  [
    'an expired code',
    409,
    async (world, mark) => {
      const link = await world.link();
      const { code } = await world.goThrough(link);
      world.clock.offset += 11 * 60_000;
      await mark();
      return confirm(world, link, code);
    },
  ],
  [
    'a flow completed through a phished link, without the one-time code',
    303,
    async (world, mark) => {
      const link = await world.link();
      const stranger = { ...link, browser: openBrowser(world.crossbook.app) };
      const { consentUrl } = await stranger.browser.start(link.url, HUBSPOT);
      const callback = await consent(consentUrl);
      await mark({ besides: 'links' });
      return stranger.browser.visit(callback);
    },
  ],
];

const DENIAL = 'http://localhost:4000/connect/callback/hubspot?error=access_denied';

async function begin(world: ConnectWorld) {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  return { link, callback: await consent(consentUrl) };
}

function confirm(
  { crossbook }: ConnectWorld,
  { customerId, id }: WorldLink,
  code: string,
  headers: Record<string, string> = {},
) {
  return crossbook.rest(
    'POST',
    `/customers/${customerId}/connect_links/${id}/_confirm`,
    { code },
    headers,
  );
}
