import { describe, expect, test } from 'vitest';
import { listCallableHosts } from '../../../src/domain/provider.ts';
import { PROVIDER_CATEGORIES } from '../../../src/domain/provider-names.ts';
import { checkInstanceUrl } from '../../../src/domain/urls.ts';
import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { fc } from '../../support/fast-check.ts';

const MY_DOMAIN =
  /^[a-z0-9-]+(\.(?!(na139|cs12|usa2s)\.)[a-z0-9-]+)?\.my\.(salesforce\.(com|mil)|sfcrmproducts\.cn)$/;

const access = salesforce.crm;
if (access === undefined) throw new Error('Salesforce can be searched');

test('has its category, and stays well below the concurrent calls that an org accepts', () => {
  expect(salesforce.category).toBe(PROVIDER_CATEGORIES[salesforce.name]);
  expect(access.budgets['api']?.concurrency).toBeLessThan(20);
  expect(access.budgets['token']?.concurrency).toBe(1);
  expect(access.lookupBatch).toBe(100);
  expect(access.records.CONTACT.associatedObjects).toEqual([]);
});

describe('the instance', () => {
  test.each([
    ['https://acme.my.salesforce.com', 'acme.my.salesforce.com'],
    ['https://ACME.my.salesforce.com/', 'acme.my.salesforce.com'],
    ['https://acme--dev.sandbox.my.salesforce.com', 'acme--dev.sandbox.my.salesforce.com'],
    ['https://acme--dev.my.salesforce.com', 'acme--dev.my.salesforce.com'],
    ['https://acme--dev.cs12.my.salesforce.com', 'acme--dev.cs12.my.salesforce.com'],
    ['https://acme-dev-ed.develop.my.salesforce.com', 'acme-dev-ed.develop.my.salesforce.com'],
    ['https://cs1acme.my.salesforce.com', 'cs1acme.my.salesforce.com'],
    ['https://sandbox.my.salesforce.com', 'sandbox.my.salesforce.com'],
    ['https://acme.scratch.my.salesforce.com', 'acme.scratch.my.salesforce.com'],
    ['https://acme.trailblaze.my.salesforce.com', 'acme.trailblaze.my.salesforce.com'],
    ['https://na44.salesforce.com', 'login.salesforce.com'],
    ['https://cs12.salesforce.com', 'test.salesforce.com'],
    ['https://usa2s.salesforce.com', 'test.salesforce.com'],
    ['https://acme.cloudforce.com', 'login.salesforce.com'],
    ['https://acme.database.com', 'login.salesforce.com'],
    ['https://acme.my-salesforce.com', 'login.salesforce.com'],
    ['https://dev.acme.sandbox.my-salesforce.com', 'test.salesforce.com'],
    ['https://acme.my.salesforce.mil', 'acme.my.salesforce.mil'],
    ['https://acme--dev.sandbox.my.salesforce.mil', 'acme--dev.sandbox.my.salesforce.mil'],
    ['https://acme.my.sfcrmproducts.cn', 'acme.my.sfcrmproducts.cn'],
    [`https://${'a'.repeat(63)}.my.salesforce.com`, `${'a'.repeat(63)}.my.salesforce.com`],
  ])('%s is called at its origin, and its token is refreshed at %s', (instanceUrl, host) => {
    expect(access.origin(instanceUrl)).toBe(new URL(instanceUrl).origin);
    expect(access.refresh.origin(instanceUrl)).toBe(`https://${host}`);
  });

  test.each([
    'https://na139.salesforce.com',
    'https://cs12.salesforce.com',
    'https://usa2s.salesforce.com',
    'https://acme.na139.my.salesforce.com',
    'https://acme--dev.cs12.my.salesforce.com',
    'https://acme.cloudforce.com',
    'https://acme.database.com',
    'https://acme.my-salesforce.com',
    'https://dev.acme.sandbox.my-salesforce.com',
  ])('%s names no My Domain: a stored connection may have it, but it cannot be entered', (url) => {
    const rules = { hosts: salesforce.instanceHosts, sandboxOrigins: [] };
    expect(checkInstanceUrl(url, rules)).toEqual({
      problem: `its host ${new URL(url).hostname} is not a supported host of the provider`,
    });
    expect(checkInstanceUrl(url, { ...rules, hosts: listCallableHosts(salesforce) })).toEqual({
      origin: url,
      url,
    });
    expect(access.origin(url)).toBe(url);
  });

  test('no host is both accepted and retired', () => {
    const { instanceHosts, retiredHosts = [] } = salesforce;
    const label = fc.constantFrom('acme', 'acme--dev', 'na139', 'cs12', 'usa2s', 'gs1', 'sandbox');
    const suffix = fc.constantFrom(
      ...['my.salesforce.com', 'my.salesforce.mil', 'my.sfcrmproducts.cn', 'salesforce.com'],
      ...['cloudforce.com', 'database.com', 'my-salesforce.com', 'sandbox.my-salesforce.com'],
    );
    const host = fc
      .tuple(fc.array(label, { minLength: 1, maxLength: 2 }), suffix)
      .map(([labels, end]) => [...labels, end].join('.'));
    const matches = (patterns: readonly RegExp[], text: string) =>
      patterns.some((pattern) => pattern.test(text));
    fc.assert(
      fc.property(host, (text) => {
        expect(matches(instanceHosts, text) && matches(retiredHosts, text)).toBe(false);
        // `na139.my.salesforce.com` is a My Domain that a customer may choose.
        if (matches(instanceHosts, text)) expect(text).toMatch(MY_DOMAIN);
      }),
    );
  });

  test.each([
    ['https://acme.my.salesforce.com', 'https://login.salesforce.com'],
    ['https://acme--dev.sandbox.my.salesforce.com', 'https://test.salesforce.com'],
    ['https://acme--dev.my.salesforce.com', 'https://test.salesforce.com'],
    ['https://cs1acme.my.salesforce.com', 'https://login.salesforce.com'],
    ['https://acme.scratch.my.salesforce.com', 'https://test.salesforce.com'],
    ['https://acme.my.salesforce.mil', undefined],
    ['https://evil.example', undefined],
  ])('%s, when it was renamed, is refreshed at %s', (instanceUrl, origin) => {
    expect(access.refresh.movedOrigin?.(instanceUrl)).toBe(origin);
  });

  test.each([
    null,
    '',
    'acme',
    'acme.my.salesforce.com',
    'http://acme.my.salesforce.com',
    'https://acme.my.salesforce.com:8443',
    'https://u:p@acme.my.salesforce.com',
    'https://acme.my.salesforce.com@evil.example',
    'https://acme.my.salesforce.com.evil.example',
    'https://evilmy.salesforce.com',
    'https://evil.example/acme.my.salesforce.com',
    'https://my.salesforce.com',
    'https://.my.salesforce.com',
    'https://acme.my.salesforce.com.',
    'https://-acme.my.salesforce.com',
    'https://acme-.my.salesforce.com',
    'https://a_b.my.salesforce.com',
    'https://a.b.c.my.salesforce.com',
    `https://${'a'.repeat(64)}.my.salesforce.com`,
    'https://аcme.my.salesforce.com',
    'https://acme.my.salesforce.com.mil',
    'https://xn--cme-5cd.my.salesforce.com',
    'https://login.salesforce.com',
    'https://test.salesforce.com',
    'https://gs1.salesforce.com',
    'https://test1.salesforce.com',
    'https://welcome.salesforce.com',
    'https://api.salesforce.com',
    'https://login.database.com',
    'https://acme.lightning.force.com',
    'https://acme.my.site.com',
    'https://acme.force.com',
    'https://acme.visualforce.com',
    'https://127.0.0.1',
    'https://[::1]',
    'https://localhost',
    'https://evilcrmforce.mil',
    'https://acme.my.salesforce.co',
    'https://acme.mysalesforce.com',
  ])('%s is not an instance URL', (instanceUrl) => {
    expect(access.origin(instanceUrl)).toBeUndefined();
    expect(access.refresh.origin(instanceUrl)).toBeUndefined();
  });
});

test.each([
  [302, ''],
  [404, '<html>URL No Longer Exists</html>'],
])(
  'a %i of an org that has moved is answered by a refresh, which blames no token',
  (status, body) => {
    const answer = { status, headers: {}, body };
    expect([access.needsRefresh(answer), access.isTokenInvalid(answer)]).toEqual([true, false]);
    const unknown = JSON.stringify([{ errorCode: 'NOT_FOUND', message: 'no such object' }]);
    expect(access.needsRefresh({ ...answer, status: 404, body: unknown })).toBe(false);
  },
);

describe('the daily limit', () => {
  const DAY_MS = 86_400_000;
  const read = (info?: string) =>
    access.readRateLimitStatus(
      {
        status: 200,
        body: '',
        headers: info === undefined ? {} : { 'sforce-limit-info': info },
      },
      'general',
    );

  test.each([
    ['api-usage=18/5000', { remaining: 4_982, max: 5_000 }],
    [
      'api-usage=25/5000; per-app-api-usage=17/250(appName=sample-connected-app)',
      { remaining: 233, max: 250 },
    ],
    ['api-usage=4990/5000; per-app-api-usage=17/250(appName=x)', { remaining: 10, max: 5_000 }],
    ['api-usage=18/5000; api-bursts=1/750', { remaining: 4_982, max: 5_000 }],
    ['api-usage=5000/5000', { remaining: 0, max: 5_000 }],
    ['api-usage=5100/5000; api-bursts=750/750', { remaining: 0, max: 5_000 }],
  ])('is read from %s', (info, expected) => {
    expect(read(info)).toEqual({ ...expected, intervalMs: DAY_MS });
  });

  test('is over when a call beyond it is refused, and not while they are answered', () => {
    const headers = { 'sforce-limit-info': 'api-usage=5100/5000' };
    expect(access.readRateLimitStatus({ status: 403, headers, body: '' }, 'general')).toMatchObject(
      {
        remaining: 0,
      },
    );
    expect(
      access.readRateLimitStatus({ status: 200, headers, body: '' }, 'general'),
    ).toBeUndefined();
  });

  test.each([
    ['TotalRequests Limit exceeded.', 60_000],
    ['ConcurrentPerOrgLongTxn Limit exceeded.', 2_000],
  ])('that was reached, as in %s, pauses all calls', (message, pauseMs) => {
    const body = JSON.stringify([{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message }]);
    expect(access.readPause({ status: 403, headers: {}, body })).toBe(pauseMs);
  });

  test.each([
    undefined,
    '',
    'api-usage=',
    'api-usage=a/b',
    'api-usage=5100/5000; api-bursts=1/750',
  ])('is unknown from %j', (info) => {
    expect(read(info)).toBeUndefined();
  });
});
