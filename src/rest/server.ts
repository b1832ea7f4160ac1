import type { RequestLog } from '../domain/log.ts';
import type { HttpHeaders } from '../lib/http-message.ts';
import type { RequestContext } from '../request/context.ts';
import { createDocsEndpoint } from './docs/endpoint.ts';
import type { DocsDemo } from './docs/page.ts';
import { createOpenApiEndpoint } from './openapi/endpoint.ts';
import type { Operation, OperationGroup } from './operation.ts';
import { errorResponse } from './responses.ts';
import { type AnswerByPath, createAnswerByPath, type Endpoint } from './router.ts';
import { OPERATIONS } from './routes/all.ts';

/** The REST face: the operations, the document that describes them, and the page that shows it. */
export function createRest(options: RestOptions): AnswerByPath {
  const { prefixes = {} } = options;
  const operations = OPERATIONS.map((operation) => ({
    ...operation,
    path: `${prefixes[operation.group] ?? ''}${operation.path}`,
  }));
  const endpoints = [
    ...operations.map((operation) => toEndpoint(operation, options)),
    createOpenApiEndpoint(operations, options.version),
    createDocsEndpoint(options.demo),
  ];
  return createAnswerByPath(endpoints, 'There is nothing at this path: see /docs.');
}

function toEndpoint(operation: Operation, { openContext }: RestOptions): Endpoint {
  return {
    method: operation.method,
    path: operation.path,
    async answer({ requestLog, ...arrival }) {
      let context: RequestContext | undefined;
      const run = async () => {
        context = await openContext(arrival.request.headers, requestLog);
        const checked = context.checkRateLimit();
        if (checked) await checked;
        const answer = await operation.run(context, arrival);
        const confirmed = context.confirm();
        if (confirmed) await confirmed;
        return answer;
      };
      requestLog.record({ operation: operation.id });
      try {
        return await requestLog.operation(operation.id, run);
      } catch (thrown) {
        const applicationName = context?.caller?.application.name ?? null;
        return errorResponse(thrown, { requestLog, applicationName });
      }
    },
  };
}

export interface RestOptions {
  /** Rejects with UNAUTHORIZED where what the headers present is wrong; without a caller where they present nothing. */
  openContext(headers: HttpHeaders, requestLog: RequestLog): Promise<RequestContext> | RequestContext;
  /** Paths that the operations of a group live below: `/crm/v2`. */
  readonly prefixes?: Readonly<Partial<Record<OperationGroup, string | undefined>>>;
  /** What the page of the document has filled in. Undefined where there is no demo. */
  readonly demo?: DocsDemo | undefined;
  /** Of the product, for the document. */
  readonly version: string;
}
