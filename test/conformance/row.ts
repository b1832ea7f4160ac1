/** One promise and how it is seen to be kept. */
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

/** `POST /path`: with the demo's key, customer and HubSpot, unless the options say otherwise. */
export function rest(line: string, body?: unknown, options: Options = {}): Request {
  const [method = '', path = ''] = line.split(' ');
  return { face: 'REST', method, path, body, ...options };
}

export function graphql(query: string, options: Options & { readonly variables?: object } = {}): Operation {
  return { face: 'GraphQL', query, ...options };
}

/** The next calls to the demo's account of that CRM fail like this. */
export function fault(
  provider: Fault['provider'],
  what: Fault['fault'],
  timing: Fault['timing'] = {},
): Fault {
  return { face: 'sandbox', provider, fault: what, timing };
}

/** An error with this status, in REST. */
export function refused(status: number, code?: string, more: Record<string, Expected> = {}): Expectation {
  return { status, body: { errors: [{ status: String(status), ...(code && { code }), ...more }] } };
}

/** An error with this code, in GraphQL. */
export function failed(code: string, more: Record<string, Expected> = {}): Expectation {
  return { body: { errors: [{ extensions: { code }, ...more }] } };
}

export interface Row {
  /** `2.1` is of the specification, `§5` of the contract. */
  readonly section: string;
  readonly promise: string;
  /** In this order; the answer to the last is looked at. */
  readonly steps: readonly Step[];
  readonly expected: Expectation;
  /** Why the product does not keep it yet. */
  readonly differs: string | undefined;
}

/** What is named must be so; a pattern is for text, a function for everything else, `undefined` for what must be absent. */
export interface Expectation {
  readonly status?: Expected;
  readonly headers?: Readonly<Record<string, Expected>>;
  readonly body?: Expected;
  /** How many calls the last step took at each CRM. */
  readonly calls?: Readonly<Record<string, number>>;
}

export type Expected =
  | string
  | number
  | boolean
  | null
  | undefined
  | RegExp
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be anything.
  | ((value: any) => boolean)
  | object;

export type Step = Call | Fault | ((earlier: readonly Answer[]) => Call);
export type Call = Request | Operation;

export interface Request extends Options {
  readonly face: 'REST';
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface Operation extends Options {
  readonly face: 'GraphQL';
  readonly query: string;
  readonly variables?: object;
}

export interface Fault {
  readonly face: 'sandbox';
  readonly provider: 'hubspot' | 'salesforce';
  readonly fault:
    | string
    | {
        readonly kind: 'answer';
        readonly status: number;
        readonly body?: unknown;
        readonly headers?: Record<string, string>;
      };
  readonly timing: { readonly times?: number; readonly after?: number; readonly operation?: string };
}

interface Options {
  /** `undefined` leaves one out that would be there. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly as?: CallerName;
}

/** `token` is of the customer demo, `other` the key of another application. */
export type CallerName = 'key' | 'token' | 'other' | 'nobody' | 'wrongKey';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, number>>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer may be anything.
  readonly body: any;
}
