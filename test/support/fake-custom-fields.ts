import {
  type CustomFieldStore,
  NO_CUSTOM_FIELDS,
  type StoredProblem,
} from '../../src/domain/custom-fields.ts';

/** The custom fields of one application, in memory. Mappings are set in the customers' table by `setMappings`. */
export function createFakeCustomFields(
  setMappings: CustomFieldStore['setMappings'],
): CustomFieldStore {
  let stored = NO_CUSTOM_FIELDS;
  const problems = new Map<string, readonly StoredProblem[]>();
  return {
    read: async () => stored,
    replace: async (declared) => {
      stored = { version: stored.version + 1, ...declared };
      return stored;
    },
    setMappings,
    listProblems: async (connectionId) => problems.get(connectionId) ?? [],
    noteProblems: async ({ id }, found) => {
      const noted = found.map((one) => ({
        ...one,
        remoteId: one.remoteId ?? null,
        since: new Date(0),
        seenAt: new Date(0),
      }));
      problems.set(id, [...(problems.get(id) ?? []), ...noted]);
      return noted;
    },
    endProblems: async (id, ended) => {
      problems.set(
        id,
        (problems.get(id) ?? []).filter((one) => !ended.includes(one)),
      );
    },
  };
}
