import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/chunk.ts';
import { isRecord } from '../../lib/parse-json.ts';
import { API, type Call } from './call.ts';
import { toBadResponse, toRemoteFailure } from './failure.ts';

/** Several GETs, each of any length, in as few calls as can be. Answers are in the order of the paths. */
export async function readComposite<T>(
  call: Call,
  paths: readonly string[],
  understand: (json: unknown) => T | undefined,
): Promise<readonly T[]> {
  return (await readParts(call, paths)).map((part) => understandPart(part, understand));
}

/** What came of each query, refused or not. `others` are no queries: they travel in the first call, in front. */
export async function readParts(
  call: Call,
  queries: readonly string[],
  others: readonly string[] = [],
): Promise<readonly Part[]> {
  const groups = chunk(queries, MAX_QUERIES).map((group, index) =>
    index === 0 ? [...others, ...group] : group,
  );
  return (await Promise.all(groups.map((group) => askGroup(call, group)))).flat();
}

export function isSuccess({ httpStatusCode }: Part): boolean {
  return httpStatusCode >= 200 && httpStatusCode < 300;
}

async function askGroup(call: Call, paths: readonly string[]): Promise<readonly Part[]> {
  const compositeRequest = paths.map((url, index) => ({ method: 'GET', url, referenceId: `query${index}` }));
  return call({ path: `${API}/composite`, body: { compositeRequest } }, (json) => {
    const parts = isRecord(json) ? json['compositeResponse'] : undefined;
    return Array.isArray(parts) && parts.length === paths.length && parts.every(isPart) ? parts : undefined;
  });
}

/** Every part has a status of its own: the whole succeeds even where its parts do not. */
function understandPart<T>(part: Part, understand: (json: unknown) => T | undefined): T {
  if (!isSuccess(part)) throw toRemoteFailure(toAnswer(part));
  const understood = understand(part.body);
  if (understood !== undefined) return understood;
  throw toBadResponse(toAnswer(part), 'Salesforce gave a partial answer of an unknown shape');
}

function toAnswer({ httpStatusCode: status, httpHeaders, body }: Part): ProviderResponse {
  const headers = Object.entries(isRecord(httpHeaders) ? httpHeaders : {}).map(([name, value]) => [
    name.toLowerCase(),
    String(value),
  ]);
  return { status, headers: Object.fromEntries(headers), body: JSON.stringify(body) ?? '' };
}

function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['httpStatusCode'] === 'number';
}

/** Of the 25 parts of a composite call only five may be queries. */
const MAX_QUERIES = 5;

export interface Part {
  readonly httpStatusCode: number;
  readonly httpHeaders?: unknown;
  readonly body?: unknown;
}
