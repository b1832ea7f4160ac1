import { expect, test } from 'vitest';
import { CrossbookError, invalidInput } from '../../src/domain/errors.ts';

test('a CrossbookError has no stack, and a bug keeps its own', () => {
  const { stackTraceLimit } = Error;
  const bug = new Error('a bug');
  const { stack, cause } = new CrossbookError('INTERNAL_SERVER_ERROR', 'no', { cause: bug });
  expect(stack).not.toMatch(/\n\s+at /);
  expect(cause).toBe(bug);
  expect(bug.stack).toContain('errors.test.ts');
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  expect(new Error('the next bug').stack).toContain('errors.test.ts');
});

test('an input with thousands of mistakes gets an error with the first of them', () => {
  const mistakes = Array.from({ length: 10_000 }, (_, at) => `fields[${at}]: the name is reserved`);
  const { message } = invalidInput(mistakes);
  expect(message).toContain('fields[19]');
  expect(message).not.toContain('fields[20]');
  expect(message).toMatch(/\. There are 9980 more mistakes\.$/);
  expect(invalidInput(mistakes.slice(0, 20)).message).not.toContain('more');
});
