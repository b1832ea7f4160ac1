import {
  type CustomFieldStore,
  type CustomFieldsByRecord,
  NO_CUSTOM_FIELDS,
  type StoredProblem,
} from '../../src/domain/custom-fields.ts';

/** The custom fields of one application, in memory. Mappings are set in the customers' table by `setMappings`. */
export function createFakeCustomFields(
  setMappings: CustomFieldStore['setMappings'],
): CustomFieldStore {
  let stored: CustomFieldsByRecord = NO_CUSTOM_FIELDS;
  const problems = new Map<string, readonly StoredProblem[]>();
  return {
    read: async () => stored,
    replace: async (declared) => {
      const { record } = declared;
      const replaced = { version: stored[record].version + 1, ...declared };
      stored = { ...stored, [record]: replaced };
      return replaced;
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
