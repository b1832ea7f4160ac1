import type { HttpHeaders } from '../../lib/http-message.ts';
import { errorResponse } from '../responses.ts';
import { type AnswerByPath, createAnswerByPath, type Endpoint } from '../router.ts';
import { type AdminOperation, type AdminStore, APPLICATION_OPERATIONS, KEY_OPERATIONS } from './endpoints.ts';

/**
 * The operator's paths, all below `/admin/`. They are not in the OpenAPI document, which is for those who call with a key:
 * docs/operations.md describes them.
 */
export function createAdminFace({ store, requireKey }: AdminOptions): AdminFace {
  const operations = [...APPLICATION_OPERATIONS, ...KEY_OPERATIONS];
  const endpoints = operations.map((operation) => toEndpoint(operation, store));
  return {
    ...createAnswerByPath(endpoints, 'There is nothing at this path of the operator’s.'),
    paths: /^\/admin\//,
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
  /** Those that it answers. */
  readonly paths: RegExp;
  /** Throws UNAUTHORIZED. */
  requireKey(arrival: { readonly headers: HttpHeaders; readonly address?: string | undefined }): void;
}

interface AdminOptions extends Pick<AdminFace, 'requireKey'> {
  readonly store: AdminStore;
}
