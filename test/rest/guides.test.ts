import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openRest } from './open-rest.ts';
import { serve } from './serve.ts';

/** Every document is a guide, except the list of them. */
const SLUGS = readdirSync('docs')
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => name.replace('.md', ''));

let server: Awaited<ReturnType<typeof serve>>;
const pages = new Map<string, string>();
beforeAll(async () => {
  server = await serve((await openRest({})).rest);
  for (const slug of SLUGS) {
    const response = await fetch(`${server.origin}/guides/${slug}`);
    expect([slug, response.status]).toEqual([slug, 200]);
    pages.set(slug, await response.text());
  }
  return () => server.close();
});

const read = async (path: string) => (await fetch(server.origin + path)).text();

test('the list has every document, by reader, with the question that it answers', async () => {
  const list = await read('/guides');
  for (const slug of SLUGS) expect(list).toContain(`href="/guides/${slug}"`);
  expect(list.match(/<dd>[^<]+<\/dd>/g)?.length).toBeGreaterThanOrEqual(SLUGS.length);
});

test('every link in a guide leads to a section that exists', () => {
  let count = 0;
  for (const [slug, page] of pages) {
    for (const [, name = '', anchor] of page.matchAll(/href="\/guides\/([\w-]+)(?:#([^"]*))?"/g)) {
      count += 1;
      const target = pages.get(name) ?? '';
      if (anchor !== undefined)
        expect([slug, name, anchor, target.includes(`id="${anchor}"`)]).toContain(true);
    }
  }
  expect(count).toBeGreaterThan(200);
});

test('a guide loads nothing from elsewhere, and runs only the scripts that its policy names', async () => {
  for (const page of pages.values()) {
    expect(page).not.toMatch(/<(?:img|script|link)[^>]* (?:src|href)="(?!data:)/);
    expect(page).not.toContain('<iframe');
  }
  const { headers } = await fetch(`${server.origin}/guides/connect`);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
});

describe('the search', () => {
  test('finds sections by all words, first those that have them in the heading', async () => {
    const [, first = ''] = /<dt><a href="([^"]*)"/.exec(await read('/guides?q=Rotate+keys')) ?? [];
    expect(first).toMatch(/^\/guides\/[\w-]+#?/);
    const found = await read('/guides?q=hubspot+redirect');
    expect(found).toContain('href="/guides/connect');
    expect(found.match(/<dt>/g)?.length).toBeLessThanOrEqual(30);
  });

  test('says so where nothing is found, and shows the text as text', async () => {
    const found = await read(`/guides?q=${encodeURIComponent('<b>xyzzy</b>')}`);
    expect(found).toContain('Nothing found for “&lt;b&gt;xyzzy&lt;/b&gt;”');
  });
});

test('an unknown guide is 404 with the way to the list', async () => {
  const response = await fetch(`${server.origin}/guides/nothing`);
  expect(response.status).toBe(404);
  expect((await response.json()).errors[0].detail).toBe(
    'There is no guide of this name: /guides lists them.',
  );
});
