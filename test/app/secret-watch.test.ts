import { expect, test } from 'vitest';
import { watchSecrets } from '../support/secret-watch.ts';

test('the secret watch over all output finds what must not be there', () => {
  const watch = watchSecrets({ 'a token': 'pat-na1-secret', 'nothing at all': undefined });
  watch.look('an answer', '{"data":null}');
  expect(watch.done).not.toThrow();
  watch.look('the log', '{"msg":"sent pat-na1-secret"}');
  expect(watch.done).toThrow('a token in the log');
});
