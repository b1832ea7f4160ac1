import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';

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
