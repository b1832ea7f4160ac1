import type { RequestLog } from '../domain/request-log.ts';
import type { HttpHeaders } from '../lib/http-message.ts';
import { createRequestContext, type RequestContext } from './context.ts';
import type { Services } from './services.ts';

/** Opens the context of each request: who calls is in its request log, and what it leaves unsaid in its headers. */
export function createOpenContext(services: Services): OpenContext {
  return (headers, requestLog) => {
    const { caller } = requestLog;
    const defaults = {
      customerId: headers.get('x-customer-id') ?? undefined,
      provider: headers.get('x-provider-name') ?? undefined,
    };
    return createRequestContext(services, { caller, defaults, requestLog });
  };
}

export type OpenContext = (headers: HttpHeaders, requestLog: RequestLog) => RequestContext;
