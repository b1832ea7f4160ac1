import { describe, expect, test } from 'vitest';
import { createHostCheck } from '../../src/http/incoming-request.ts';

const check = createHostCheck(['Demo.Example']);
const ask = (host: string) => () => check(new Headers({ host }));

describe('while the sandbox is on', () => {
  test.each([
    'localhost',
    'LOCALHOST:4000',
    '127.0.0.1:4000',
    '[::1]',
    '[::1]:4000',
    'demo.example:443',
  ])('the host %s is answered', (host) => {
    expect(ask(host)).not.toThrow();
  });

  test.each([
    'evil.example',
    'localhost@evil.example',
    'localhost:80@evil.example',
    'evil.example:80@localhost',
    'localhost/evil.example',
    'evil.example/localhost',
    'localhost:80:80',
    'localhost:evil.example',
    'evil.localhost',
    'localhost.',
    '::1',
    '',
  ])('the host %j is refused', (host) => {
    expect(ask(host)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });
});
