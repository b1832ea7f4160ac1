import { expect, test } from 'vitest';
import { readUtf8Header } from '../../src/lib/http-message.ts';

test.each([
  ['plain', 'demo', 'demo'],
  ['Japanese in UTF-8', Buffer.from('日本').toString('latin1'), '日本'],
  ['an umlaut in UTF-8', Buffer.from('Müller').toString('latin1'), 'Müller'],
  ['an umlaut in Latin-1', 'Müller', 'Müller'],
  ['absent', undefined, undefined],
])('a header that is %s', (_what, sent, expected) => {
  expect(readUtf8Header(sent)).toBe(expected);
});
