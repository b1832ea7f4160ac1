import type { Reply } from './answers.ts';
import { notFound } from './errors.ts';
import { USER_ID } from './identity.ts';
import { type ApiRequest, allow } from './resources/api-request.ts';
import { answerBatch, answerComposite } from './resources/composite.ts';
import { answerQuery } from './resources/query.ts';
import { answerSearch } from './resources/search.ts';
import { answerCollection, answerSObjects } from './resources/sobjects.ts';
import { answerSosl } from './resources/sosl.ts';

/** Routes the path after the version to its resource. */
export function dispatch(apiRequest: ApiRequest): Reply {
  const [resource, second] = apiRequest.path;
  switch (resource) {
    case undefined:
      return { status: 200, body: listResources(apiRequest) };
    case 'query':
    case 'queryAll':
      return answerQuery(apiRequest);
    case 'composite':
      if (second === undefined) return answerComposite(apiRequest, dispatch);
      if (second === 'batch') return answerBatch(apiRequest, dispatch);
      if (second === 'sobjects') return answerCollection(apiRequest);
      throw notFound();
    case 'sobjects':
      return answerSObjects(apiRequest);
    case 'search':
      return answerSosl(apiRequest);
    case 'parameterizedSearch':
      return answerSearch(apiRequest);
    case 'limits':
      return { status: 200, body: listLimits(apiRequest) };
    default:
      throw notFound();
  }
}

function listResources({ version, account }: ApiRequest): object {
  const root = `/services/data/v${version}`;
  const names = [
    'query',
    'queryAll',
    'search',
    'composite',
    'sobjects',
    'parameterizedSearch',
    'limits',
  ];
  const identity = `${account.instanceUrl}/id/${account.id}/${USER_ID}`;
  return { ...Object.fromEntries(names.map((name) => [name, `${root}/${name}`])), identity };
}

/** Limits whose usage is not simulated. */
const OTHER_LIMITS = {
  DailyBulkApiBatches: 15_000,
  DailyBulkV2QueryJobs: 10_000,
  DailyAsyncApexExecutions: 250_000,
  ConcurrentAsyncGetReportInstances: 200,
  DataStorageMB: 1_024,
  FileStorageMB: 1_024,
};

function listLimits(apiRequest: ApiRequest): object {
  allow(apiRequest, 'GET');
  const { limits, state } = apiRequest.account;
  const max = limits?.requestsPerDay ?? 100_000;
  const untouched = Object.entries(OTHER_LIMITS).map(([name, most]) => [
    name,
    { Max: most, Remaining: most },
  ]);
  return {
    DailyApiRequests: {
      Max: max,
      Remaining: Math.max(0, max - state.requests.used(apiRequest.now)),
    },
    ...Object.fromEntries(untouched),
  };
}
