import {
  type MappingProblem,
  NO_OWN_FIELDS,
  type OwnFieldStore,
} from '../../src/domain/own-fields.ts';

/** The own fields of one application, in memory. Mappings are set in the customers' table by `setMappings`. */
export function createFakeOwnFields(setMappings: OwnFieldStore['setMappings']): OwnFieldStore {
  let stored = NO_OWN_FIELDS;
  const problems = new Map<string, readonly MappingProblem[]>();
  return {
    read: async () => stored,
    replace: async (declared) => {
      stored = { version: stored.version + 1, ...declared };
      return stored;
    },
    setMappings,
    listProblems: async (connectionId) => problems.get(connectionId) ?? [],
    noteProblems: async ({ id }, found) => {
      const noted = found.map((one) => ({ ...one, since: new Date(0) }));
      problems.set(id, [...(problems.get(id) ?? []), ...noted]);
      return noted;
    },
  };
}
