import { createSchema, createYoga } from 'graphql-yoga';
import { expect, test } from 'vitest';
import { findSample, runSample } from '../../../test/support/run-sample.ts';
import { useExecutor } from '../src/index.ts';

test('the sample of the README runs: Yoga executes by the plugin', async () => {
  const sample = findSample('packages/executor/README.md', 'ts', 'useExecutor');
  const people = [{ name: 'Ada' }, { name: 'Grace' }];
  const { yoga } = await runSample<{ readonly yoga: ReturnType<typeof createYoga> }>(sample, {
    given: { useExecutor, createSchema, createYoga, people },
    declares: ['yoga'],
  });
  const ask = async (query: string) => {
    const response = await yoga.fetch(
      `http://localhost/graphql?query=${encodeURIComponent(query)}`,
    );
    return response.json();
  };
  expect(await ask('{ people { name } }')).toEqual({ data: { people } });
  expect(await ask('{ people(first: 1) { name } }')).toEqual({ data: { people: [people[0]] } });
  // A message of the executor.
  expect(await ask('{ people(first: "1") { name } }')).toMatchObject({
    errors: [
      { message: 'The argument `first` must be an integer from -2147483648 to 2147483647.' },
    ],
  });
});
