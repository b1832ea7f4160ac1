import { CrossbookError, toCrossbookError } from '../domain/errors.ts';
import type { Arrival, Journal, OpenJournal } from '../domain/journal.ts';
import type { Gate } from './gate.ts';

/** Every request's way in: its journal is opened, somebody answers it, and what came of it is told. */
export function createFront({ graphql, rest, gate, limits, openJournal, answerAlways }: FrontOptions): Front {
  return async (request, arrived, address) => {
    const { pathname } = new URL(request.url);
    const { method, headers } = request;
    const requestId = headers.get('x-request-id');
    const journal = openJournal({
      method,
      path: pathname,
      requestId,
      traceparent: headers.get('traceparent'),
    });
    const response = await answer({ request, pathname, journal, arrived, address });
    const { status } = response;
    const said = limits.settle({ visit: journal, headers, address, status });
    for (const [name, value] of Object.entries(said)) response.headers.set(name, value);
    response.headers.set('x-request-id', journal.requestId);
    journal.close({ status, bytes: readLength(response) });
    return response;
  };

  async function answer({ request, pathname, journal, arrived, address }: Asked): Promise<Response> {
    const face = pathname === '/graphql' ? graphql : rest;
    try {
      const always = await answerAlways(request, pathname);
      if (always) return always;
      limits.check({ headers: request.headers, address });
      const answered = gate.pass(() => face.fetch(request, journal), arrived);
      return (await answered) ?? face.refuse(overloaded(), journal);
    } catch (thrown) {
      return face.refuse(toCrossbookError(thrown), journal);
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

function readLength({ headers }: Response): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}

const RETRY_AFTER_MS = 1_000;

export type Front = (
  request: Request,
  arrived?: Promise<unknown> | undefined,
  /** Where it comes from. */
  address?: string | undefined,
) => Promise<Response>;

/** How one of the two faces is asked. */
interface Face {
  fetch(request: Request, journal: Journal): Promise<Response> | Response;
  refuse(error: CrossbookError, journal: Journal): Response;
}

/** How much may be asked. */
interface Limits {
  /** Throws where nothing more from there is looked at. */
  check(arrival: { readonly headers: Headers; readonly address: string | undefined }): void;
  /** What the answer says of the limit. */
  settle(departure: {
    readonly visit: Journal;
    readonly headers: Headers;
    readonly address: string | undefined;
    readonly status: number;
  }): Readonly<Record<string, string>>;
}

export interface FrontOptions {
  readonly graphql: Face;
  readonly rest: Face;
  readonly gate: Gate;
  readonly limits: Limits;
  openJournal(arrival: Arrival): OpenJournal;
  /** What is answered however much there is to do. Undefined: it is a face's. */
  answerAlways(request: Request, pathname: string): Promise<Response | undefined>;
}

interface Asked {
  readonly request: Request;
  readonly pathname: string;
  readonly journal: OpenJournal;
  readonly arrived: Promise<unknown> | undefined;
  readonly address: string | undefined;
}
