import type { RequestState } from '../domain/request-state.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RoutedRequest } from './read-input.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  answer(request: RoutedRequest, state: RequestState): MaybePromise<HttpResponse>;
}
