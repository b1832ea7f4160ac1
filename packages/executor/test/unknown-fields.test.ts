import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createDocumentStore } from '../src/documents/document-store.ts';

const name = (at: number) => `field${'x'.repeat(50)}${at}`;
const fields = Array.from({ length: 200 }, (_, at) => `${name(at)}: String`).join(' ');
const store = createDocumentStore(buildSchema(`type Query { ${fields} }`));

function validate(text: string): readonly string[] {
  return store.validate(store.parse(text, 'owner').document).map(({ message }) => message);
}

test('an unknown field has a suggestion, also where the type has many fields', () => {
  expect(validate(`{ ${name(7)}x }`)).toEqual([
    expect.stringContaining(`Did you mean "${name(7)}"`),
  ]);
});

test('many unknown fields are reported, and only the first are compared with all fields of a large type', () => {
  const unknown = Array.from({ length: 100 }, (_, at) => `${name(at)}y`);
  const messages = validate(`{ ${unknown.join(' ')} }`);
  const reported = messages.filter((message) => message.startsWith('Cannot query field'));
  expect(reported).toHaveLength(20);
  expect(reported.filter((message) => message.includes('Did you mean'))).toHaveLength(1);
});
