import { PROPERTIES, toBatches, toBody } from '../contenders/hubspot.ts';
import type { LoadRequest } from '../load/main.ts';
import { type Case, emailSetsOf } from './cases.ts';
import { searchOperation } from './operations.ts';

/** The same request in the format of each kind of contender. */
export const REQUESTS = {
  /** A REST endpoint has no selection: three fields cost it as much as all. */
  floor: (emails) => ({ path: '/', body: JSON.stringify({ emails }) }),
  passThrough: (emails) => ({
    path: '/',
    body: toBatches(emails)
      .map((batch) => toBody(batch))
      .join('\n'),
  }),
  graphql: (emails, workload) => ({ path: '/graphql', body: toOperation(emails, workload) }),
  /** Apollo's own server has one path. */
  graphqlAtRoot: (emails, workload) => ({ path: '/', body: toOperation(emails, workload) }),
  rest: (emails, { contacts }) => ({
    path: `/contacts/_search?page_size=${contacts}`,
    body: JSON.stringify({ filter: { emails } }),
  }),
  mesh: toMeshRequest,
} satisfies Record<string, ToRequest>;

export function toRequests(
  kind: Kind,
  workload: Case,
  headers: LoadRequest['headers'],
): readonly LoadRequest[] {
  const toRequest: ToRequest = REQUESTS[kind];
  const sent = { 'content-type': 'application/json', ...headers };
  return emailSetsOf(workload).map((emails) => ({ ...toRequest(emails, workload), headers: sent }));
}

function toOperation(emails: readonly string[], { fields, contacts }: Case): string {
  return JSON.stringify({ query: searchOperation(fields), variables: { emails, first: contacts } });
}

/** One aliased field for each batch read: a client of the bare API needs that for a thousand contacts. */
function toMeshRequest(emails: readonly string[], { fields }: Case) {
  const properties = fields === 'three' ? ['firstname', 'lastname'] : PROPERTIES;
  const selected = fields === 'three' ? 'id' : 'id createdAt updatedAt archived';
  const batches = toBatches(emails);
  const reads = batches.map(
    (_, index) => `read${index}: readContacts(input: {
      idProperty: "email", properties: $properties, inputs: $inputs${index}
    }) { results { ${selected} properties { ${properties.join(' ')} } } }`,
  );
  const inputs = batches.map((_, index) => `$inputs${index}: [${MESH_INPUT}]`);
  const query = `query Read($properties: [String], ${inputs.join(', ')}) { ${reads.join('\n')} }`;
  const sets = batches.map((batch, index) => [`inputs${index}`, batch.map((id) => ({ id }))]);
  const variables = { properties, ...Object.fromEntries(sets) };
  return { path: '/graphql', body: JSON.stringify({ query, variables }) };
}

/** Mesh's type name of a list element. */
const MESH_INPUT = 'queryInput_readContacts_input_inputs_items_Input';

export type Kind = 'floor' | 'passThrough' | 'graphql' | 'graphqlAtRoot' | 'rest' | 'mesh';

type ToRequest = (
  emails: readonly string[],
  workload: Case,
) => { readonly path: string; readonly body: string };
