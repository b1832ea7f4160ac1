import type { HttpHeaders } from '../../lib/http-message.ts';
import { type AnswerByPath, createAnswerByPath } from '../answer-by-path.ts';
import { errorResponse } from '../errors.ts';
import type { Endpoint } from '../router.ts';
import { APPLICATION_OPERATIONS } from './applications.ts';
import { KEY_OPERATIONS } from './keys.ts';
import type { AdminOperation, AdminStore } from './operation.ts';

/**
 * The operator's paths, all below `/admin/`. They are not in the OpenAPI document, which is for those who call with a key:
 * docs/operations.md describes them.
 */
export function createAdminFace({ store, requireKey }: AdminOptions): AdminFace {
  const operations = [...APPLICATION_OPERATIONS, ...KEY_OPERATIONS];
  const endpoints = operations.map((operation) => toEndpoint(operation, store));
  return {
    ...createAnswerByPath(endpoints, 'There is nothing at this path of the operator’s.'),
    handles: (pathname) => pathname.startsWith('/admin/'),
    requireKey,
  };
}

function toEndpoint({ id, method, path, run }: AdminOperation, store: AdminStore): Endpoint {
  return {
    ...{ method, path },
    async answer({ requestLog, ...arrival }) {
      requestLog.record({ operation: id });
      return requestLog
        .operation(id, () => run(store, arrival))
        .catch((thrown: unknown) => errorResponse(thrown, { requestLog, applicationName: null }));
    },
  };
}

export interface AdminFace extends AnswerByPath {
  /** Throws UNAUTHORIZED. */
  requireKey(arrival: { readonly headers: HttpHeaders; readonly address?: string | undefined }): void;
}

interface AdminOptions extends Pick<AdminFace, 'requireKey'> {
  readonly store: AdminStore;
}
