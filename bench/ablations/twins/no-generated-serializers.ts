import type { Serializer } from '../../../src/graphql/compiled/serializers.ts';

/** As where a process may not make functions of text. */
export function generateSerializer(): Serializer | undefined {
  return undefined;
}
