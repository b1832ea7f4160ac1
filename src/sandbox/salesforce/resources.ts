import type { Reply } from './answers.ts';
import { notFound } from './errors.ts';
import { USER_ID } from './identity.ts';
import { type Ask, allow } from './resources/ask.ts';
import { answerBatch, answerComposite } from './resources/composite.ts';
import { answerQuery } from './resources/query.ts';
import { answerSearch } from './resources/search.ts';
import { answerCollection, answerSObjects } from './resources/sobjects.ts';
import { answerSosl } from './resources/sosl.ts';

/** Routes the path after the version to its resource. */
export function dispatch(ask: Ask): Reply {
  const [resource, second] = ask.path;
  switch (resource) {
    case undefined:
      return { status: 200, body: listResources(ask) };
    case 'query':
    case 'queryAll':
      return answerQuery(ask);
    case 'composite':
      if (second === undefined) return answerComposite(ask, dispatch);
      if (second === 'batch') return answerBatch(ask, dispatch);
      if (second === 'sobjects') return answerCollection(ask);
      throw notFound();
    case 'sobjects':
      return answerSObjects(ask);
    case 'search':
      return answerSosl(ask);
    case 'parameterizedSearch':
      return answerSearch(ask);
    case 'limits':
      return { status: 200, body: listLimits(ask) };
    default:
      throw notFound();
  }
}

function listResources({ version, account }: Ask): object {
  const root = `/services/data/v${version}`;
  const names = ['query', 'queryAll', 'search', 'composite', 'sobjects', 'parameterizedSearch', 'limits'];
  const identity = `${account.instanceUrl}/id/${account.id}/${USER_ID}`;
  return { ...Object.fromEntries(names.map((name) => [name, `${root}/${name}`])), identity };
}

/** Limits whose usage is not simulated. */
const OTHER_LIMITS = {
  ...{ DailyBulkApiBatches: 15_000, DailyBulkV2QueryJobs: 10_000, DailyAsyncApexExecutions: 250_000 },
  ...{ ConcurrentAsyncGetReportInstances: 200, DataStorageMB: 1_024, FileStorageMB: 1_024 },
};

function listLimits(ask: Ask): object {
  allow(ask, 'GET');
  const { limits, state } = ask.account;
  const max = limits?.requestsPerDay ?? 100_000;
  const untouched = Object.entries(OTHER_LIMITS).map(([name, most]) => [
    name,
    { Max: most, Remaining: most },
  ]);
  return {
    DailyApiRequests: { Max: max, Remaining: Math.max(0, max - state.requests.used(ask.now)) },
    ...Object.fromEntries(untouched),
  };
}
