import { expect, test } from 'vitest';
import { openApp } from '../support/open-app.ts';

test('plugins passed to the composition root see operations and the caller, and are disposed at the end', async () => {
  const names: unknown[] = [];
  const ended: string[] = [];
  const reporter = {
    onExecute: ({ args }: { readonly args: Executed }) =>
      void names.push([args.operationName, args.contextValue.caller.application.name]),
    [Symbol.asyncDispose]: async () => void ended.push('reporter'),
  };
  const crossbook = await openApp({}, { plugins: { reporter } });
  const query = 'query Mine { customer { customerId } }';
  const { data } = await crossbook.execute(query);
  expect(data).toEqual({ customer: { customerId: 'demo' } });
  expect(names).toEqual([[undefined, 'Demo application']]);
  await crossbook.close();
  expect(ended).toEqual(['reporter']);
});

interface Executed {
  readonly operationName?: string;
  readonly contextValue: { readonly caller: { readonly application: { readonly name: string } } };
}
