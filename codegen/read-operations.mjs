import { Kind, print, visit } from 'graphql';

/** Each operation as the text that clients send: the operation and the fragments that it spreads, without indentation. */
export function readOperations(documents) {
  const definitions = documents.flatMap(({ document }) => document?.definitions ?? []);
  const fragments = new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [],
    ),
  );
  return definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((operation) => ({
      name: operation.name.value,
      type: operation.operation === 'mutation' ? 'Mutation' : 'Query',
      text: [operation, ...collectFragments(operation, fragments)]
        .map(print)
        .join('\n')
        .replace(/\n */g, '\n'),
    }));
}

function collectFragments(node, fragments, found = new Set()) {
  visit(node, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value);
      if (!fragment || found.has(fragment)) return;
      found.add(fragment);
      collectFragments(fragment, fragments, found);
    },
  });
  return found;
}
