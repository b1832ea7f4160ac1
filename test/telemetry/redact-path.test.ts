import { expect, test } from 'vitest';
import { redactPath } from '../../src/telemetry/request-log.ts';

const TOKEN = 'v2.k1.MGQ5YzJmN2UtNmMxZi00YTM1.aBcDeFgHiJkLmNoPqRsTuV';

test.each([
  [`/connect/${TOKEN}`, '/connect/…'],
  [`/connect/${TOKEN}/start`, '/connect/…/start'],
  ['/connect/whatever-it-is', '/connect/…'],
  [`/CONNECT/${TOKEN}`, '/CONNECT/…'],
  [`/%63onnect/${TOKEN}`, '/%63onnect/…'],
  [`/behind/a/prefix/${TOKEN}`, '/behind/a/prefix/…'],
  [`/x/${TOKEN.replaceAll('.', '%2e')}`, '/x/…'],
  ['/connect/callback/hubspot', '/connect/callback/hubspot'],
  ['/customers/demo', '/customers/demo'],
  ['/graphql', '/graphql'],
])('the path %s is logged as %s', (path, logged) => {
  expect(redactPath(path)).toBe(logged);
});
