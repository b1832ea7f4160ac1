import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toContrast, toTextColor } from '../../src/domain/branding.ts';
import { openBrowser } from '../support/connect-browser.ts';
import { type ConnectWorld, openConnectWorld } from '../support/connect-world.ts';
import { makePng, pngChunk } from '../support/png.ts';
import { toFetch } from '../support/to-fetch.ts';

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld();
});
afterAll(() => world.close());

const LOGO = makePng({ before: [pngChunk('tEXt', Buffer.from('Comment\0made by hand'))] });
const change = (body: object, headers = {}) =>
  world.crossbook.rest('PATCH', '/branding', body, headers);

test('customers see the name, the color and the logo of the application on every page of a link', async () => {
  const plain = await world.link();
  const before = await plain.browser.visit(plain.url);
  expect(before.text).toContain('<bdi>Demo application</bdi>');
  expect(before.text).not.toContain('<img');
  const stored = await change({
    display_name: ' Acme <Support> ',
    accent_color: '#0F766E',
    logo: LOGO.toString('base64'),
  });
  expect(stored.body).toMatchObject({ display_name: 'Acme <Support>', accent_color: '#0f766e' });

  const link = await world.link();
  const page = await link.browser.visit(link.url);
  expect(page.text).toContain('<bdi>Acme &lt;Support&gt;</bdi>');
  expect(page.text).not.toContain('Demo application');
  expect(page.text).toContain('--accent: #0f766e; --on-accent: #ffffff');
  const [, src = ''] = /<img src="([^"]*)"/.exec(page.text) ?? [];
  const logo = await link.browser.visit(`http://localhost:4000${src}`);
  expect(logo.headers.get('content-type')).toBe('image/png');
  expect(logo.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(logo.text).not.toContain('made by hand');
  const { back } = await world.goThrough(link, { provider: 'hubspot' });
  expect(back.status).toBe(303);
  const again = await link.browser.visit(link.url);
  expect(again.text).toContain('Back to <bdi>Acme &lt;Support&gt;</bdi>');
  // The policy allows the style of the color by its hash, and images of this server only.
  expect(page.headers.get('content-security-policy')).toMatch(
    /style-src 'sha256-[^']+' 'sha256-[^']+'; img-src 'self' data:;/,
  );
});

test('absent fields are unchanged, null clears one, and GraphQL has the same', async () => {
  await change({ display_name: 'Acme', accent_color: '#112233', logo: LOGO.toString('base64') });
  await change({ display_name: null });
  const { body } = await world.crossbook.rest('GET', '/branding');
  expect(body).toMatchObject({ accent_color: '#112233', logo: expect.any(String) });
  expect(body).not.toHaveProperty('display_name');
  const { data } = await world.crossbook.execute(
    `mutation { updateBranding(input: { logo: null, displayName: "Ours" }) { branding { displayName accentColor logo } } }`,
  );
  const expected = { displayName: 'Ours', accentColor: '#112233', logo: null };
  expect(data.updateBranding.branding).toEqual(expected);
  const read = await world.crossbook.execute('{ branding { displayName accentColor logo } }');
  expect(read.data.branding).toEqual(expected);
});

test('an application has no branding at first, and never that of another', async () => {
  await change({ display_name: 'Ours' });
  const { status, body } = await world.crossbook.rest('GET', '/branding', undefined, {
    'x-api-key': world.otherKey,
  });
  expect([status, body]).toEqual([200, {}]);
});

test('a customer token can neither read nor change it', async () => {
  const customerId = await world.addCustomer();
  const { body } = await world.crossbook.rest('POST', `/customers/${customerId}/tokens`, {});
  const headers = {
    authorization: `Bearer ${body.token}`,
    'content-type': 'application/json',
  };
  for (const request of [{ method: 'GET' }, { method: 'PATCH', body: '{}' }]) {
    const sent = new Request('http://localhost:4000/branding', { ...request, headers });
    const { status } = await toFetch(world.crossbook.app.answer)(sent);
    expect([request.method, status]).toEqual([request.method, 403]);
  }
});

test('many logos of one application take neither the threads of the process nor the turn of another application', async () => {
  // Two megabytes of pixels, which are slow to compress.
  const pixels = Buffer.alloc(512 * (1 + 512 * 8));
  for (let at = 0; at < pixels.length; at += 257) pixels[at] = at % 251;
  const logo = makePng({ width: 512, height: 512, depth: 16, pixels }).toString('base64');
  const ended: string[] = [];
  const send = async (name: string, headers = {}) => {
    const { status } = await change({ logo }, headers);
    ended.push(name);
    return status;
  };
  const flood = Array.from({ length: 24 }, () => send('flood'));
  const other = await send('other', { 'x-api-key': world.otherKey });
  expect(other).toBe(200);
  expect(ended.indexOf('other')).toBeLessThan(5);
  // What waits for too long is refused; nothing else happens to it.
  expect(new Set([...(await Promise.all(flood)), 200, 503])).toEqual(new Set([200, 503]));
});

describe('refused with what is wrong:', () => {
  test.each([
    [{ display_name: '' }, 'display name must have 1 to 100 characters'],
    [{ display_name: 'x'.repeat(101) }, 'display name must have'],
    [{ display_name: 'a\u202Eb' }, 'no control characters'],
    [{ accent_color: 'red' }, 'written as #rrggbb'],
    [{ accent_color: '#fff' }, 'written as #rrggbb'],
    [{ accent_color: '#757a80' }, 'contrast of 4.32 with white text and 4.27 with dark text'],
    [{ logo: 'not base64!' }, 'must be a PNG image in base64'],
    [{ logo: Buffer.from('GIF89a').toString('base64') }, 'it is not a PNG image'],
    [
      { logo: makePng({ width: 600 }).toString('base64') },
      '600 × 1 pixels, and may have 512 × 512',
    ],
    [{ logo: 'A'.repeat(90_000) }, 'more than 64 KiB'],
  ])('%o', async (body, detail) => {
    const { status, body: answer } = await change(body);
    expect(status).toBe(422);
    expect(answer.errors[0].detail).toContain(detail);
  });
});

test('the logo is found only with a link of the application', async () => {
  const browser = openBrowser(world.crossbook.app);
  expect((await browser.visit('http://localhost:4000/connect/forged/logo')).status).toBe(404);
  await change({ logo: null });
  const link = await world.link();
  expect((await browser.visit(`${link.url}/logo`)).status).toBe(404);
});

test('every accepted color has readable text', () => {
  for (let grey = 0; grey < 256; grey += 1) {
    const color = `#${grey.toString(16).padStart(2, '0').repeat(3)}`;
    const text = toTextColor(color);
    if (text !== undefined) expect(toContrast(text, color)).toBeGreaterThanOrEqual(4.5);
  }
  expect(toTextColor('#000000')).toBe('#ffffff');
  expect(toTextColor('#ffffff')).toBe('#0b1420');
  expect(toContrast('#000000', '#ffffff')).toBeCloseTo(21);
});
