import { expect, test } from 'vitest';
import { readTokens } from '../../src/domain/oauth.ts';

const NOW = new Date('2026-11-20T21:00:00.000Z');

function read(token: object) {
  const answer = { status: 200, headers: {}, body: JSON.stringify(token) };
  const toRefusal = () => {
    throw new Error('not refused');
  };
  return readTokens(answer, NOW, { toRefusal, withoutToken: 'No token.' });
}

test.each([1e308, -1, 0, 'soon', null, [], {}, Number.MAX_SAFE_INTEGER])(
  'a lifetime of %j is none',
  (expiresIn) => {
    expect(read({ access_token: 'a', expires_in: expiresIn }).expiresAt).toBeNull();
  },
);

test.each(['a\nb', 'a b', '\0', 'é', 'x'.repeat(16_385), '\ud800'])(
  'the token %j is refused, because it could not be sent, and is not shown',
  (token) => {
    for (const given of [{ access_token: token }, { access_token: 'a', refresh_token: token }]) {
      const error = thrownBy(() => read(given));
      expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_BAD_RESPONSE' });
      expect(JSON.stringify(error)).not.toContain(JSON.stringify(token).slice(1, -1));
    }
  },
);

test.each([undefined, null, '', 7, ['a'], {}])('no access token is one: %j', (token) => {
  expect(() => read({ access_token: token })).toThrow('No token.');
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
