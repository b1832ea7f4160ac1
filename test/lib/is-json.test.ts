import { expect, test } from 'vitest';
import { isJson } from '../../src/lib/json.ts';

test.each([
  'application/json',
  'Application/JSON',
  'application/json ; charset="UTF-8"',
  'application/json; charset=utf8',
  'application/json; profile=x',
  'application/json;charset=utf-8;v=1',
])('%s is JSON', (contentType) => {
  expect(isJson(contentType)).toBe(true);
});

test.each([
  null,
  '',
  'text/plain',
  'text/plain; application/json',
  'application/json-seq',
  'application/json, text/plain',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; v=1; charset=latin1',
  'application/json; charset=utf-8; charset=latin1',
])('%s is not JSON in UTF-8', (contentType) => {
  expect(isJson(contentType)).toBe(false);
});
