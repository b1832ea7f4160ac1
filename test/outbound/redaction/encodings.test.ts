import { expect, test } from 'vitest';
import { createSecretMatcher } from '../../../src/outbound/redaction/secret-matcher.ts';
import { ENCODINGS } from '../../support/spellings.ts';

const SECRETS = [
  'pat-na1-4a8f2d10-77c1-4b3e-9d5f-0c6e1b2a3d4f',
  'CPiB0vWmMRIHAAEAQAAAARjWrYQVIKq+xx0ozcF/MhQzRY5gTqGz6Z0oC3aGhLq0Vw',
  '5Aep861TSESvWeug_x8Kd2WqLmP.rVt7ZnBhJcYs0GfXuE4oMaQi5RwNbDkTyUzHpLjC1vAeOxI9gS6',
];
const { matches } = createSecretMatcher(SECRETS);
const layers = Object.entries(ENCODINGS);
const pairs = layers.flatMap(([outer, encode]) =>
  layers.map(([inner, before]) => ({
    inner,
    outer,
    spell: (text: string) => encode(before(text)),
  })),
);

test.each(layers)('a secret in this encoding is found: %s', (_name, encode) => {
  for (const secret of SECRETS) expect(matches(`Sent ${encode(secret)}.`)).toBe(true);
});

test.each(pairs)('a secret in two encodings is found: $inner, then $outer', ({ spell }) => {
  for (const secret of SECRETS) expect(matches(`Sent ${spell(secret)}.`)).toBe(true);
});
