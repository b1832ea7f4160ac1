import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  APP_ORIGIN,
  type ConnectWorld,
  openConnectWorld,
  type WorldLink,
} from '../support/connect-world.ts';
import { openSecondServer, type SecondServer, type VendorName } from './second-server.ts';
import { logInAndConsent } from './second-server-browser.ts';

const CALLBACKS = 'http://localhost:4000/connect/callback';

describe.each(['salesforce', 'hubspot'] as const)(
  'At an independent OAuth server in place of %s',
  (provider) => {
    let server: SecondServer;
    let world: ConnectWorld;
    let rest: ConnectWorld['crossbook']['rest'];
    beforeAll(async () => {
      server = await openSecondServer(provider, [
        `${CALLBACKS}/${provider}`,
        `${CALLBACKS}/another`,
      ]);
      world = await openConnectWorld(undefined, {}, { sandbox: server.sandbox });
      rest = world.crossbook.rest;
    });
    afterAll(async () => {
      await world.close();
      await server.close();
    });

    test('a customer connects, tokens are refreshed, and the grant is revoked', async () => {
      const { link, callback } = await begin();
      const { back, code } = await goBack(link, callback);
      expect(back.status).toBe(303);
      const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
      expect((await rest('POST', path, { code })).body).toMatchObject({ status: 'completed' });
      const connection = `/customers/${link.customerId}/connections/${provider}`;
      expect((await rest('GET', connection)).body).toMatchObject({ status: 'connected' });
      expect(await search(link)).toBe(1);
      // Twice: where refresh tokens rotate, the second refresh uses the token from the first.
      for (const _ of ['once', 'twice']) {
        await server.endAccessToken();
        expect(await search(link)).toBe(1);
      }
      expect(server.issuedTokens()).toBe(3);
      expect((await rest('DELETE', connection)).body).toMatchObject({ revocation: 'revoked' });
      expect(server.revokedGrants()).toBe(1);
      expect(server.refusals).toEqual([]);
    });

    const refused = REFUSED.filter(({ vendors }) => vendors.includes(provider));
    test.each(refused.map((attempt) => [attempt.what, attempt] as const))(
      '%s is rejected, and nothing is connected',
      async (_what, { change, detour, reason }) => {
        const { link, callback } = await begin(change);
        await detour?.({ callback, server, theirs: async () => (await begin()).callback });
        callback.pathname = `/connect/callback/${provider}`;
        const { back, code } = await goBack(link, callback);
        expect([back.status, code]).toEqual([200, null]);
        expect(back.text).toContain(
          `connect_link_id=${link.id}&amp;status=FAILED&amp;error=VENDOR_REFUSED`,
        );
        expect(await search(link)).toMatchObject({ errors: [{ status: '404' }] });
        expect(server.refusals.at(-1)).toBe(reason);
      },
    );

    test('an unregistered redirect URI stops at the OAuth server, and the link stays open', async () => {
      const link = await createLink();
      const elsewhere = begin(
        (url) => url.searchParams.set('redirect_uri', 'https://evil.example/'),
        link,
      );
      await expect(elsewhere).rejects.toThrow('The server keeps the browser: 400');
      const { callback } = await begin(undefined, link);
      expect((await goBack(link, callback)).back.status).toBe(303);
    });

    function createLink(): Promise<WorldLink> {
      return world.link({ providers: [provider] });
    }

    async function begin(change: (url: URL) => void = () => {}, known?: WorldLink) {
      const link = known ?? (await createLink());
      const url = new URL((await link.browser.start(link.url, { provider })).consentUrl);
      expect(url.origin).toBe(server.origin);
      change(url);
      return { link, callback: new URL(await logInAndConsent(url.href)) };
    }

    async function goBack({ browser }: WorldLink, callback: URL) {
      const back = await browser.visit(callback.href);
      return {
        back,
        code: new URL(back.headers.get('location') ?? APP_ORIGIN).searchParams.get('code'),
      };
    }

    async function search({ customerId }: WorldLink): Promise<unknown> {
      const headers = { 'x-customer-id': customerId, 'x-provider-name': provider };
      const body = { filter: { email: 'ada@example.com' } };
      const answer = await rest('POST', '/contacts/_search', body, headers);
      return answer.body.pagination?.total_count ?? answer.body;
    }
  },
);

const BOTH: readonly VendorName[] = ['salesforce', 'hubspot'];

/** What an attacker, or a bug of ours, would change; and the reason that the server gives. */
const REFUSED: readonly Refused[] = [
  {
    what: 'a consent without a code challenge',
    vendors: ['salesforce'],
    change: (url) => {
      for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
    },
    reason: 'Authorization Server policy requires PKCE to be used for this request',
  },
  {
    what: 'the code of another flow, whose verifier is not ours',
    vendors: ['salesforce'],
    detour: async ({ callback, theirs }) =>
      callback.searchParams.set('code', (await theirs()).searchParams.get('code') ?? ''),
    reason: 'code_verifier does not match code_challenge',
  },
  {
    what: 'a code that was used before',
    vendors: BOTH,
    detour: ({ callback, server }) => server.useCode(callback.searchParams.get('code') ?? ''),
    reason: 'authorization code already consumed',
  },
  {
    what: 'a code that was made for another redirect URI',
    vendors: BOTH,
    change: (url) => url.searchParams.set('redirect_uri', `${CALLBACKS}/another`),
    reason: 'authorization code redirect_uri mismatch',
  },
];

interface Refused {
  readonly what: string;
  readonly vendors: readonly VendorName[];
  /** Changes the URL to the authorization server. */
  readonly change?: (consentUrl: URL) => void;
  /** Changes the way back from it. */
  readonly detour?: (flow: {
    readonly callback: URL;
    readonly server: SecondServer;
    theirs(): Promise<URL>;
  }) => void | Promise<void>;
  /** As the server logs it. */
  readonly reason: string;
}
