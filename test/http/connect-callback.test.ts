import { expect, test } from 'vitest';
import { createConnectPages } from '../../src/connect/connect-pages.ts';
import type { ConnectFlow, ConnectLink } from '../../src/domain/connect-link.ts';
import { AuthorizationFailure } from '../../src/domain/oauth.ts';
import { digest } from '../../src/lib/digest.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { createFakeRequestState } from '../support/fake-request-log.ts';
import { createFakeWork } from '../support/fake-work.ts';

const STATE = 's'.repeat(43);
const COOKIE = 'c'.repeat(43);

test('after any number of failed exchanges, the next callback is still served', async () => {
  const { callBack, exchanges } = open();
  for (let count = 0; count < 300; count += 1) expect(await callBack()).toBe(200);
  expect(exchanges()).toBe(300);
});

test('exchanges that one application has waiting leave some to others, and its further callbacks get 429', async () => {
  const { callBack, exchanges, answer } = open({ isSlow: true });
  const waiting = Array.from({ length: 67 }, () => callBack());
  await expect.poll(exchanges).toBe(67);
  expect(await callBack()).toBe(429);
  const other = callBack('other');
  await expect.poll(exchanges).toBe(68);
  answer();
  expect(await other).toBe(200);
  for (const one of waiting) expect(await one).toBe(200);
  // The refused one has not used its state: it can be repeated.
  expect(await callBack()).toBe(200);
});

/** The pages with one flow of each application, whose code the provider refuses. */
function open({ isSlow = false } = {}) {
  let exchanged = 0;
  let applicationId = 'a';
  let answer = () => {};
  const answered = isSlow
    ? new Promise<void>((resolve) => {
        answer = resolve;
      })
    : Promise.resolve();
  const link: ConnectLink = {
    id: 'link',
    applicationId: 'a',
    customerId: 'c',
    connectionId: null,
    providerName: null,
    status: 'STARTED',
    failure: null,
    mode: 'REDIRECT',
    purpose: 'CONNECT',
    mapFields: false,
    records: ['CONTACT'],
    access: 'READ',
    confirm: false,
    loginUrl: null,
    providers: ['hubspot'],
    optionalScopes: [],
    allowAccountChange: false,
    returnUrl: 'https://app.example/',
    createdAt: new Date(0),
    expiresAt: new Date(900_000),
  };
  const flow: ConnectFlow = {
    stateHash: digest(STATE),
    cookieHash: digest(COOKIE),
    codeVerifier: 'v',
    oauthClientId: 'o',
    linkId: link.id,
    providerName: 'hubspot',
    loginOrigin: 'https://app.hubspot.com',
    isUsed: false,
  };
  const pages = createConnectPages({
    flows: {
      findLink: async () => ({
        link: { ...link, applicationId },
        applicationName: 'A',
        customerName: 'C',
        application: { name: 'A', accentColor: null, hasLogo: false },
        sessionHash: null,
        allowed: {},
        copied: {},
      }),
      start: unexpected,
      findByState: async () => flow,
      findByCookies: unexpected,
      take: async () => true,
      finish: unexpected,
      fail: async () => true,
      findGrant: unexpected,
      matchFields: unexpected,
      findGranted: unexpected,
    },
    providers: createRegistry(),
    connecting: {
      publicUrl: () => 'http://localhost:4000',
      linkTokens: { sign: () => 'token', verify: unexpected },
      findReturnOrigins: unexpected,
      findOAuthClient: unexpected,
      toSandboxLogin: unexpected,
    },
    async exchangeCode() {
      exchanged += 1;
      await answered;
      throw new AuthorizationFailure('VENDOR_REFUSED', 'Refused.');
    },
    readCustomFields: unexpected,
    readBranding: unexpected,
    openMatching: unexpected,
    makeCode: unexpected,
    forgetConnection: unexpected,
    endConnection: unexpected,
    onFailure: () => {},
    onEnd: () => {},
    limitPages: async () => {},
    wall: () => 0,
  });

  async function callBack(of = 'a'): Promise<number> {
    applicationId = of;
    const url = new URL(`http://localhost:4000/connect/callback/hubspot?state=${STATE}&code=x`);
    const cookie = `crossbook-connect-${flow.stateHash.slice(0, 16)}=${COOKIE}`;
    const request = { method: 'GET', url, pathname: url.pathname, readBody: () => Buffer.alloc(0) };
    const { status } = await pages.answer(
      { ...request, headers: new Headers({ cookie }) },
      createFakeRequestState(),
      createFakeWork(),
    );
    return status;
  }
  return { callBack, answer: () => answer(), exchanges: () => exchanged };
}

function unexpected(): never {
  throw new Error('This is not called.');
}
