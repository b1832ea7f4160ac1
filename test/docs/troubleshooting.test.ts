import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { DOCUMENTS } from '../support/documents.ts';

test('docs/troubleshooting.md has one row for each error code', () => {
  const rows = readFileSync('docs/troubleshooting.md', 'utf8').matchAll(
    /^\| `([A-Z_]+)` \| .+ \|$/gm,
  );
  expect([...rows].map(([, code]) => code).sort()).toEqual(Object.keys(ERROR_CODES).sort());
});

test.each([...DOCUMENTS])('%s names only existing REMOTE_PROVIDER_ codes', (_path, text) => {
  const named = text.match(/\bREMOTE_PROVIDER_[A-Z]+(?:_[A-Z]+)*/g) ?? [];
  expect(named.filter((code) => !(code in ERROR_CODES))).toEqual([]);
});
