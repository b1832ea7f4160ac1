import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAnswerChecker } from '../rest/check-answer.ts';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { type ConnectWorld, openConnectWorld, type WorldLink } from '../support/connect-world.ts';

const HUBSPOT = { provider: 'hubspot' };

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld();
});
afterAll(() => world.close());

test('the last page of a popup posts a message to the exact origin of the application, by one script that the policy names by its hash', async () => {
  const link = await world.link({ mode: 'POPUP' });
  const { back } = await world.goThrough(link);
  expect(back.status).toBe(200);
  const policy = back.headers.get('content-security-policy') ?? '';
  const [, script = ''] = /<script>([^<]*)<\/script>/.exec(back.text) ?? [];
  expect(back.text.match(/<script/g)).toHaveLength(1);
  expect(policy).toContain(`script-src 'sha256-${hash('sha256', script, 'base64')}';`);
  expect(back.text).toContain('data-origin="http://localhost:3000"');
  const told = readPopupResult(back.text);
  expect(told).toMatchObject({ status: 'AWAITING_CONFIRMATION', connectLinkId: link.id });
  expect(told['code']).toMatch(/^[\w-]{43}$/);
  expect(back.headers.get('cross-origin-opener-policy')).toBe('unsafe-none');
});

test('a browser without Sec-Fetch-Site sends the form with the origin of the page', async () => {
  const link = await world.link();
  const page = await link.browser.visit(link.url);
  // With the policy no-referrer it would send the origin `null`, which is refused.
  expect(page.headers.get('referrer-policy')).toBe('strict-origin');
  const headers = { 'sec-fetch-site': '', origin: 'http://localhost:4000' };
  const sent = { method: 'POST', form: HUBSPOT, headers };
  expect((await link.browser.visit(`${link.url}/start`, sent)).status).toBe(200);
});

test('the pages contain no script but constants, which the policy names by their hashes', async () => {
  const scripts = new Set<string>();
  for (const mode of ['REDIRECT', 'POPUP']) {
    const link = await world.link({ mode, providers: ['hubspot', 'salesforce'] });
    for (const path of ['', '?provider=salesforce']) {
      const { text, headers } = await link.browser.visit(link.url + path);
      const found = [...text.matchAll(/<script>([^<]*)<\/script>/g)].map(
        ([, script = '']) => script,
      );
      expect(text.match(/<script/g)?.length ?? 0).toBe(found.length);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).not.toContain('unsafe');
      for (const script of found) {
        scripts.add(script);
        expect(policy).toContain(hash('sha256', script, 'base64'));
      }
    }
  }
  expect(scripts.size).toBe(1);
});

test('a denied consent ends the link, shows what to do next, and redirects back with the reason', async () => {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  const denied = await link.browser.visit(await consent(consentUrl, { decision: 'deny' }));
  expect(denied.status).toBe(200);
  expect(denied.text).toContain('You did not agree');
  expect(denied.text).toContain(
    `connect_link_id=${link.id}&amp;status=FAILED&amp;error=ACCESS_DENIED`,
  );
  const events = await world.rows(
    `select type, data from crossbook.events where data ->> 'connect_link_id' = '${link.id}'`,
  );
  expect(events).toMatchObject([
    { type: 'connect_link.failed', data: { failure: 'access_denied' } },
  ]);
});

test.each(['on the redirect back', 'at the code exchange'])(
  'an app that is not installed in the organisation ends the link with ADMIN_APPROVAL_REQUIRED: %s',
  async (when) => {
    const { demo } = world.crossbook.sandbox.salesforce;
    const isAtExchange = when === 'at the code exchange';
    const link = await world.link({ providers: ['salesforce'] });
    const { consentUrl } = await link.browser.start(link.url, {
      provider: 'salesforce',
      login: 'https://login.salesforce.com',
    });
    if (!isAtExchange) demo.setQuirks({ blocksUninstalledApps: true });
    const callback = await consent(consentUrl, { account: demo.id });
    demo.setQuirks({ blocksUninstalledApps: true });
    const refused = await link.browser.visit(callback);
    demo.setQuirks({ blocksUninstalledApps: false });
    expect(refused.text).toContain('Ask your administrator to install or approve it');
    expect(refused.text).toContain('status=FAILED&amp;error=ADMIN_APPROVAL_REQUIRED');
  },
);

test('a denied consent without a state is matched to its flow by the browser’s cookie', async () => {
  const link = await world.link();
  await link.browser.start(link.url, HUBSPOT);
  const denied = await link.browser.visit(
    'http://localhost:4000/connect/callback/hubspot?error=access_denied',
  );
  expect(denied.text).toContain('You did not agree');
  expect((await link.browser.visit(link.url)).status).toBe(410);
});

test('a link that expires while its user is at the provider is shown as expired, and exchanges no code', async () => {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  const callback = await consent(consentUrl);
  world.clock.offset += 40 * 60_000;
  world.crossbook.clearLog();
  const late = await link.browser.visit(callback);
  expect(late.status).toBe(410);
  expect(late.text).toContain('Links are valid for a short time');
  expect(readCalls()).toEqual([0]);
  const path = `/customers/${link.customerId}/connect_links/${link.id}`;
  const { body } = await world.crossbook.rest('GET', path);
  expect([body.status, body.failure]).toEqual(['expired', 'expired']);
  const otherBrowser = openBrowser(world.crossbook.app);
  expect((await otherBrowser.visit(callback)).status).toBe(400);
});

test('REST reports every step of a link in lower case, as its document says', async () => {
  const check = createAnswerChecker((await world.crossbook.rest('GET', '/openapi.json')).body);
  const read = async (
    { customerId, id }: WorldLink,
    method = 'GET',
    action = '',
    body?: object,
  ) => {
    const path = `/customers/${customerId}/connect_links/${id}${action}`;
    const answer = await world.crossbook.rest(method, path, body);
    check({ method, path, answer: { ...answer, text: JSON.stringify(answer.body) } });
    return [answer.body?.status, answer.body?.failure];
  };
  const link = await world.link({ mode: 'POPUP', providers: ['HUBSPOT'] });
  expect(await read(link)).toEqual(['pending', undefined]);
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  expect(await read(link)).toEqual(['started', undefined]);
  const back = await link.browser.visit(await consent(consentUrl));
  expect(await read(link)).toEqual(['awaiting_confirmation', undefined]);
  const { code } = readPopupResult(back.text);
  expect(await read(link, 'POST', '/_confirm', { code })).toEqual(['completed', undefined]);
  const canceled = await world.link();
  await read(canceled, 'DELETE');
  expect(await read(canceled)).toEqual(['canceled', undefined]);
  const denied = await world.link();
  const asked = await denied.browser.start(denied.url, HUBSPOT);
  await denied.browser.visit(await consent(asked.consentUrl, { decision: 'deny' }));
  expect(await read(denied)).toEqual(['failed', 'access_denied']);
});

test('the page of a link names the optional scopes that it asks for in words, and only those', async () => {
  const scopes = ['crm.objects.deals.read', 'oauth', '<script>&', 'tickets', 'other'];
  const asking = await world.link({ optional_scopes: scopes });
  const { text } = await asking.browser.visit(asking.url);
  expect(text).toContain('your deals, tickets.');
  expect(text).toContain('<code>&lt;script&gt;&amp;</code>, <code>other</code>');
  expect(text).not.toContain('oauth');
  const plain = await world.link();
  expect((await plain.browser.visit(plain.url)).text).not.toContain('<code>');
});

test('the page of a link says which records the syncs of the application copy', async () => {
  const configuration = { contacts: true, standard_objects: [{ object: 'companies' }] };
  const set = await world.crossbook.rest('PUT', '/sync_configurations/hubspot', configuration);
  expect(set.status).toBe(200);
  const link = await world.link();
  const read = async () => (await link.browser.visit(link.url)).text;
  expect(await read()).toContain('with all fields that you can see');
  expect(await read()).not.toContain('keeps a copy');
  await world.rows(`insert into crossbook.sync_destinations
    (application_id, host, port, database_name, user_name, schema_name, sealed_password, key_id, version)
    select application_id, 'db.example', 5432, 'd', 'u', 's', 'none', 'none', 1 from crossbook.sync_configurations`);
  try {
    expect(await read()).toContain(
      'with all their fields in its own database: contacts, companies.',
    );
    // The connection's own list replaces the configured one.
    const changed = await world.crossbook.rest('PUT', '/customers', {
      customer_id: link.customerId,
      name: 'Acme',
      email: 'it@acme.example',
      connections: [
        {
          provider_name: 'hubspot',
          connection_sync_config: { standard_objects: [{ object: 'deals' }] },
        },
      ],
    });
    expect(changed.status).toBe(200);
    expect(await read()).toContain('in its own database: contacts, deals.');
  } finally {
    await world.rows('delete from crossbook.sync_destinations');
  }
});

test('two tabs of one browser run separate flows, and the first that finishes connects', async () => {
  const link = await world.link({ confirm: false });
  const first = await link.browser.start(link.url, HUBSPOT);
  const second = await link.browser.start(link.url, HUBSPOT);
  expect(link.browser.cookies.size).toBe(2);
  const callbacks = [await consent(second.consentUrl), await consent(first.consentUrl)];
  expect((await link.browser.visit(callbacks[0] ?? '')).status).toBe(303);
  expect((await link.browser.visit(callbacks[1] ?? '')).status).toBe(410);
});

test('a callback that arrives twice at once exchanges its code only once', async () => {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  const callback = await consent(consentUrl);
  world.crossbook.clearLog();
  const both = await Promise.all([link.browser.visit(callback), link.browser.visit(callback)]);
  expect(both.map(({ status }) => status).sort()).toEqual([303, 410]);
  expect(readCalls().filter((calls) => calls > 0)).toHaveLength(1);
});

test('no code is exchanged for a link that has ended', async () => {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, HUBSPOT);
  const callback = await consent(consentUrl);
  await world.crossbook.rest('DELETE', `/customers/${link.customerId}/connect_links/${link.id}`);
  world.crossbook.clearLog();
  expect((await link.browser.visit(callback)).status).toBe(410);
  expect(readCalls()).toEqual([0]);
});

test('without a confirmation step the page shows the names prominently, and the connection exists immediately', async () => {
  const link = await world.link({ confirm: false });
  const page = await link.browser.visit(link.url);
  expect(page.text).toMatch(/class="facts names">.*Customer \d+.*Demo application/s);
  const { back } = await world.goThrough(link);
  const answer = new URL(back.headers.get('location') ?? '').searchParams;
  expect([answer.get('status'), answer.get('code')]).toEqual(['COMPLETED', null]);
});

test('names are escaped in the page’s HTML', async () => {
  const body = {
    customer_id: 'markup',
    name: '<img src=x onerror=alert(1)>"\'&',
    email: 'x@example.com',
  };
  await world.crossbook.rest('PUT', '/customers', body);
  const { body: link } = await world.create('markup', { confirm: false });
  const { text } = await openBrowser(world.crossbook.app).visit(link.url);
  expect(text).not.toContain('<img');
  expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
});

test('a link for several CRMs shows equal cards first, and Salesforce asks for the login domain', async () => {
  const link = await world.link({ providers: ['hubspot', 'salesforce'] });
  const first = await link.browser.visit(link.url);
  expect(first.text.match(/<a class="card"/g)).toHaveLength(2);
  expect(first.text).not.toContain('<form');
  const other = await link.browser.visit(`${link.url}?provider=zendesk_sell`);
  expect(other.text.match(/<a class="card"/g)).toHaveLength(2);
  const { text } = await link.browser.visit(`${link.url}?provider=salesforce`);
  expect(text.match(/<form /g)).toHaveLength(1);
  expect(text).toContain('https://test.salesforce.com');
  expect(text).toContain('Where do you log in to Salesforce?');
  const invalid = await link.browser.start(link.url, {
    provider: 'salesforce',
    login: 'own',
    own_login: 'evil.example',
  });
  expect(invalid.status).toBe(422);
  expect(invalid.text).toContain('value="evil.example"');
  expect(invalid.text).toContain('aria-invalid="true"');
  const own = await link.browser.start(link.url, {
    provider: 'salesforce',
    login: 'own',
    own_login: 'northwind.my.salesforce.com',
  });
  expect(new URL(own.consentUrl).hostname).toContain('northwind');
  // One choice at a time: an address that was typed before another choice does not count.
  const other_login = await link.browser.start(link.url, {
    provider: 'salesforce',
    login: 'https://test.salesforce.com',
    own_login: 'northwind.my.salesforce.com',
  });
  expect(new URL(other_login.consentUrl).hostname).not.toContain('northwind');
  const empty = { provider: 'salesforce', login: 'own', own_login: ' ' };
  expect((await link.browser.start(link.url, empty)).status).toBe(422);
});

test.each([
  ['', 'PUT', 'GET, HEAD'],
  ['/start', 'GET', 'POST'],
])('a link’s page%s answers 405 with Allow to %s', async (path, method, allowed) => {
  const link = await world.link();
  const refused = await link.browser.visit(`${link.url}${path}`, { method });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, allowed]);
});

test('a client address that requests many pages is rate limited; other addresses are not', async () => {
  const limited = await openConnectWorld({ offset: 0 }, { pagesPerMinute: 3 });
  const ask = (address: string) =>
    limited.crossbook.app.answer(
      {
        method: 'GET',
        pathname: '/connect/x',
        headers: new Headers(),
        hasBody: false,
        url: new URL('http://localhost:4000/connect/x'),
        receiveBody: async () => {},
        readBody: () => Buffer.alloc(0),
        onClose: () => {},
      },
      address,
    );
  const statuses = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await ask('192.0.2.1')).status);
  expect(statuses).toEqual([404, 404, 404, 429]);
  expect((await ask('192.0.2.2')).status).toBe(404);
  const { headers } = await ask('192.0.2.1');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(headers['content-type']).toMatch(/^text\/html/);
  await limited.close();
});

function readPopupResult(page: string): Record<string, string> {
  const [, value = '{}'] = /id="popup-result" value="([^"]*)"/.exec(page) ?? [];
  return JSON.parse(value.replaceAll('&quot;', '"'));
}

/** The number of provider calls that each callback made. */
function readCalls(): number[] {
  return world.crossbook.log
    .map((line) => JSON.parse(line) as { readonly operation?: string; readonly calls: number })
    .filter(({ operation }) => operation === 'finishAuthorization')
    .map(({ calls }) => calls);
}
