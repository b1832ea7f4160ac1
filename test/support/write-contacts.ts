import { connectAccount, type LinkOptions } from './connect-account.ts';
import type { Json, TestApp } from './open-app.ts';

export const RESULT = `write { id isReplayed isComplete } results { index outcome remoteId changedFields
  problems { code message field remoteCode remoteMessage existingRemoteIds isRetryable }
  warnings { code message field existingRemoteIds } }`;
export const UPSERT = `mutation ($input: UpsertContactsInput!) { upsertContacts(input: $input) { ${RESULT} } }`;
export const CREATE = `mutation ($input: CreateContactsInput!) { createContacts(input: $input) { ${RESULT} } }`;
export const UPDATE = `mutation ($input: UpdateContactsInput!) { updateContacts(input: $input) { ${RESULT} } }`;

/** A customer whose connection to a new account may be written to. */
export async function openWritable(crossbook: TestApp, wanted: Omit<LinkOptions, 'canWrite'>) {
  const connected = await connectAccount(crossbook, { ...wanted, canWrite: true });
  const { account, headers } = connected;
  return {
    ...connected,
    /** The payload, or the errors. */
    async run(query: string, input: object): Promise<Json> {
      const { data, errors } = await crossbook.execute(query, { input }, headers);
      return errors ? { errors } : Object.values(data)[0];
    },
    /** The people who are not deleted. */
    people: () => account.people.all().filter(({ isDeleted }) => !isDeleted),
  };
}

export function outcomesOf({ results }: Json): readonly string[] {
  return results.map(({ outcome }: Json) => outcome);
}

/** The results that are not as most are, without their messages. */
export function problemsOf({ results }: Json): readonly unknown[] {
  return results.flatMap(({ index, outcome, problems }: Json) =>
    problems.length === 0
      ? []
      : [{ index, outcome, problems: problems.map(({ code, field }: Json) => ({ code, field })) }],
  );
}
