/** One promise and the request that verifies it. */
export function row(
  section: string,
  promise: string,
  ask: Step | readonly Step[],
  expected: Expectation,
  differs?: string,
): Row {
  const steps = Array.isArray(ask) ? (ask as readonly Step[]) : [ask as Step];
  return { section, promise, steps, expected, differs };
}

/** `POST /path`: with the demo's key, customer and HubSpot by default. */
export function rest(line: string, body?: unknown, options: Options = {}): Request {
  const [method = '', path = ''] = line.split(' ');
  return { api: 'REST', method, path, body, ...options };
}

export function graphql(
  query: string,
  options: Options & { readonly variables?: object } = {},
): Operation {
  return { api: 'GraphQL', query, ...options };
}

/** Makes the next calls to the demo's account of that CRM fail. */
export function fault(
  provider: Fault['provider'],
  what: Fault['fault'],
  timing: Fault['timing'] = {},
): Fault {
  return { api: 'sandbox', provider, fault: what, timing };
}

/** A REST error with this status. */
export function refused(
  status: number,
  code?: string,
  more: Record<string, Expected> = {},
): Expectation {
  return { status, body: { errors: [{ status: String(status), ...(code && { code }), ...more }] } };
}

/** A GraphQL error with this code. */
export function failed(code: string, more: Record<string, Expected> = {}): Expectation {
  return { body: { errors: [{ extensions: { code }, ...more }] } };
}

export interface Row {
  /** `2.1` is a section of the specification, `§5` one of the contract. */
  readonly section: string;
  readonly promise: string;
  /** Executed in this order; the response to the last one is compared. */
  readonly steps: readonly Step[];
  readonly expected: Expectation;
  /** Why the product does not keep the promise yet. */
  readonly differs: string | undefined;
}

/**
 * Only what is listed is compared: a pattern for strings, a predicate for anything else, `undefined` for what must
 * be absent.
 */
export interface Expectation {
  readonly status?: Expected;
  readonly headers?: Readonly<Record<string, Expected>>;
  readonly body?: Expected;
  /** How many calls the last step made to each CRM. */
  readonly calls?: Readonly<Record<string, number>>;
}

export type Expected =
  | string
  | number
  | boolean
  | null
  | undefined
  | RegExp
  // biome-ignore lint/suspicious/noExplicitAny: a response can be anything.
  | ((value: any) => boolean)
  | object;

export type Step = Call | Fault | ((earlier: readonly Answer[]) => Call);
export type Call = Request | Operation;

export interface Request extends Options {
  readonly api: 'REST';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Operation extends Options {
  readonly api: 'GraphQL';
  readonly query: string;
  readonly variables?: object;
}

export interface Fault {
  readonly api: 'sandbox';
  readonly provider: 'hubspot' | 'salesforce';
  readonly fault:
    | string
    | {
        readonly kind: 'answer';
        readonly status: number;
        readonly body?: unknown;
        readonly headers?: Record<string, string>;
      };
  readonly timing: {
    readonly times?: number;
    readonly after?: number;
    readonly operation?: string;
  };
}

interface Options {
  /** `undefined` removes a default header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly as?: CallerName;
}

/** `token` is of the customer demo, `other` the key of another application. */
export type CallerName = 'key' | 'token' | 'other' | 'nobody' | 'wrongKey';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, number>>;
  // biome-ignore lint/suspicious/noExplicitAny: a response can be anything.
  readonly body: any;
}
