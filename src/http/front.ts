import { CrossbookError, toCrossbookError } from '../domain/errors.ts';
import type { Arrival, Journal, OpenJournal } from '../domain/journal.ts';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import type { Gate } from './gate.ts';
import { toArrival } from './to-arrival.ts';

/** Every request's way in: its journal is opened, somebody answers it, and what came of it is told. */
export function createFront({ graphql, rest, gate, limits, openJournal, answerAlways }: FrontOptions): Front {
  return async (request, address) => {
    const { headers } = request;
    const journal = openJournal(toArrival(request));
    const answered = await answer(request, journal, address);
    const { status, body } = answered;
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body?.length;
    // To what is made by spread Node 20 adds a property in a microsecond, which is twenty times what it takes otherwise.
    const said: Record<string, string> = Object.assign({}, answered.headers);
    limits.settle({ visit: journal, headers, address, status, said });
    said['x-request-id'] = journal.requestId;
    if (bytes !== undefined) said['content-length'] = String(bytes);
    journal.close({ status, bytes });
    return { status, headers: said, body };
  };

  async function answer(
    request: HttpRequest,
    journal: OpenJournal,
    address: string | undefined,
  ): Promise<HttpAnswer> {
    const face = request.pathname === '/graphql' ? graphql : rest;
    let leave: (() => void) | undefined;
    try {
      const always = answerAlways(request);
      if (always) return await always;
      limits.check({ headers: request.headers, address });
      leave = gate.enter(request);
      if (!leave) throw overloaded();
      return await face.answer(request, journal);
    } catch (thrown) {
      return face.refuse(toCrossbookError(thrown), journal);
    } finally {
      leave?.();
    }
  }
}

function overloaded(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'As many requests as possible are being answered: try again.',
    {
      retryAfterMs: RETRY_AFTER_MS,
    },
  );
}

const RETRY_AFTER_MS = 1_000;

export type Front = (
  request: HttpRequest,
  /** Where it comes from. */
  address?: string | undefined,
) => Promise<HttpAnswer>;

/** How one of the two faces is asked. */
interface Face {
  answer(request: HttpRequest, journal: Journal): Promise<HttpAnswer>;
  refuse(error: CrossbookError, journal: Journal): HttpAnswer;
}

/** How much may be asked. */
interface Limits {
  /** Throws where nothing more from there is looked at. */
  check(arrival: { readonly headers: HttpHeaders; readonly address: string | undefined }): void;
  /** Adds to the headers of the answer what there is to say of the limit. */
  settle(departure: {
    readonly visit: Journal;
    readonly headers: HttpHeaders;
    readonly address: string | undefined;
    readonly status: number;
    readonly said: Record<string, string>;
  }): void;
}

export interface FrontOptions {
  readonly graphql: Face;
  readonly rest: Face;
  readonly gate: Gate;
  readonly limits: Limits;
  openJournal(arrival: Arrival): OpenJournal;
  /** What is answered however much there is to do. Undefined: it is a face's. */
  answerAlways(request: HttpRequest): Promise<HttpAnswer> | undefined;
}
