import { readOperations } from './read-operations.mjs';

/** A plugin for GraphQL Code Generator: each operation as text that knows its types. No graphql is needed to send it. */
export function plugin(_schema, documents) {
  const constants = readOperations(documents).map(
    ({ name, type, text }) =>
      `export const ${toConstantName(name)}: Document<${name}${type}, ${name}${type}Variables> = \`${text}\`;`,
  );
  return {
    prepend: ["import type { Document } from './create-query.ts';"],
    content: constants.join('\n\n'),
  };
}

function toConstantName(name) {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
