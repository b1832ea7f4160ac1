import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DOCUMENTS } from '../support/documents.ts';

const MAX_README_LINES = 200;
const LINKS = [...DOCUMENTS].flatMap(([path, text]) =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => ({ path, target })),
);

test('the documents have links, and the README stays short', () => {
  expect(LINKS.length).toBeGreaterThan(50);
  expect(DOCUMENTS.get('README.md')?.split('\n').length).toBeLessThan(MAX_README_LINES);
});

test.each(LINKS)('the link in $path to $target is valid', ({ path, target }) => {
  const [file = '', anchor] = target.split('#');
  const page = file === '' ? path : join(dirname(path), file);
  expect(existsSync(page)).toBe(true);
  if (anchor !== undefined) expect(listAnchors(DOCUMENTS.get(page) ?? '')).toContain(anchor);
});

test('the README leads to the index, and the index to every document', () => {
  const led = (from: string) =>
    LINKS.filter(({ path }) => path === from).map(({ target }) =>
      join(dirname(from), target.split('#')[0] ?? ''),
    );
  expect(led('README.md')).toContain('docs/README.md');
  const pages = [...DOCUMENTS.keys()].filter(
    (path) => path.startsWith('docs/') && path !== 'docs/README.md',
  );
  expect(pages.filter((path) => !led('docs/README.md').includes(path))).toEqual([]);
});

/** As GitHub makes them of headings. */
function listAnchors(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
