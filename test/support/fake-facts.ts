import type { ConnectionFacts } from '../../src/domain/connection.ts';

/** The facts of one connection, in one process. */
export function createFakeFacts(): ConnectionFacts {
  let facts: string | undefined;
  return {
    read: async () => facts,
    async learn(_seen, work) {
      const learnt = await work();
      facts = learnt.facts;
      return learnt.result;
    },
  };
}
