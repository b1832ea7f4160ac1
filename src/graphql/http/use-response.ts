import type { ExecutionResult } from 'graphql';
import type { FetchAPI, Plugin } from 'graphql-yoga';
import { CrossbookError } from '../../domain/errors.ts';
import { WrittenJson } from '../../lib/written-json.ts';
import { confirmResult } from './confirm-result.ts';
import { chooseMediaType, JSON_TYPE } from './media-types.ts';
import { type OpenedRequest, readAllowance } from './open-request.ts';
import { type OwnAnswer, toHttpAnswer } from './respond.ts';
import { type OpenedRequests, readOpened } from './use-request.ts';

/** Whatever becomes of a request, its response is made in one place. */
export function useResponse({ path, requests, suggestions }: Options): Plugin {
  return {
    onRequest({ request, url, fetchAPI, endResponse }) {
      if (url.pathname === path) return;
      const error = new CrossbookError('NOT_FOUND', `There is nothing here: GraphQL is at ${path}.`);
      endResponse(toResponse(fetchAPI, answer(request, { errors: [error as never] })));
    },
    onResultProcess({ request, setResultProcessor }) {
      setResultProcessor(async (result, fetchAPI) => {
        const opened = readOpened(requests, request);
        if (readAllowance(opened).isLarge) await opened.journal.permit.takeTurn();
        // Without @defer, @stream and subscriptions there is nothing that comes in pieces.
        const confirmed = await confirmResult(opened, result as ExecutionResult | ExecutionResult[]);
        return toResponse(fetchAPI, answer(request, confirmed));
      }, JSON_TYPE);
    },
  };

  function answer(request: Request, results: ExecutionResult | readonly ExecutionResult[]): OwnAnswer {
    return respond(results, { opened: readOpened(requests, request), suggestions });
  }
}

function toResponse(fetchAPI: Pick<FetchAPI, 'Response'>, { body, ...init }: OwnAnswer): Response {
  return new fetchAPI.Response(body instanceof WrittenJson ? body.takeWhole() : body, init);
}

export function respond(
  results: ExecutionResult | readonly ExecutionResult[],
  { opened, suggestions }: Responded,
): OwnAnswer {
  const accept = opened.request.headers.get('accept');
  return toHttpAnswer(results, {
    mediaType: chooseMediaType(accept) ?? JSON_TYPE,
    accept,
    applicationName: opened.context?.caller?.application.name ?? null,
    suggestions,
    journal: opened.journal,
    allowance: readAllowance(opened),
  });
}

interface Responded {
  readonly opened: OpenedRequest;
  readonly suggestions: boolean;
}

interface Options {
  readonly path: string;
  readonly requests: OpenedRequests;
  readonly suggestions: boolean;
}
