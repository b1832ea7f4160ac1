import type { IncomingMessage, ServerResponse } from 'node:http';

// The types of the package. They import nothing of ours, because the package has no other declarations.

/**
 * Opens Crossbook in this process, for a Node HTTP server of yours. Options that are wrong are rejected before anything
 * is opened. If the start fails, what it has opened is closed.
 */
export type CreateCrossbook = (options?: CrossbookOptions) => Promise<Crossbook>;

export interface CrossbookOptions {
  /**
   * The settings of the command, by the names of their environment variables: an object, or the environment itself.
   * Without `CROSSBOOK_SANDBOX` the sandbox is off.
   */
  readonly settings?: Settings | undefined;
  /** Plugins of Yoga or Envelop for GraphQL operations, by names of your choice. */
  readonly plugins?: Plugins | undefined;
  /** Default: JSON lines on the standard output, from `LOG_LEVEL` on. */
  readonly logger?: Logger | undefined;
  /** For tests: time, and timers. Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface Crossbook {
  /**
   * Handles a request of a Node HTTP server: any path that your application does not handle itself. If `PUBLIC_URL` has a
   * path, it is removed from `request.url`.
   */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /**
   * Executes a GraphQL operation without a socket. It is a request like any other: its headers authenticate it, and it
   * counts towards rate limits, queues and is logged. Refusals and failures are `errors`; only wrong arguments reject.
   */
  execute<Data = AnyData, Variables = AnyVariables>(
    operation: DocumentOperation<Data, Variables>,
  ): Promise<OperationResult<Data>>;
  execute<Data = AnyData>(operation: QueryOperation): Promise<OperationResult<Data>>;
  /** The demo application's API key and customer. Undefined without the sandbox. */
  readonly demo: Demo | undefined;
  /**
   * Sets the URL at which Crossbook is reached, with the path below which it is served, where `PUBLIC_URL` and `PORT` do
   * not say it. Not in production.
   */
  announceUrl(url: string): void;
  /** Makes `/readyz` fail, so that load balancers stop sending requests. Requests are still served. */
  announceStop(): void;
  /** Refuses new requests, waits for running ones, and closes everything that was opened. */
  close(): Promise<void>;
}

/** An operation as a parsed document, such as those that a code generator writes. */
export type DocumentOperation<Data, Variables> = OperationOptions &
  VariablesOption<Variables> & {
    readonly document: TypedDocument<Data, Variables>;
    readonly query?: undefined;
  };

/** An operation as text. */
export interface QueryOperation extends OperationOptions {
  readonly query: string;
  readonly document?: undefined;
  readonly variables?: AnyVariables | null | undefined;
}

export interface OperationOptions {
  /** Which operation of a document with several is executed. */
  readonly operationName?: string | undefined;
  /** Headers by name, such as `x-api-key`, `authorization`, `x-customer-id` and `x-provider-name`. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** Variables may be omitted where none is required. */
export type VariablesOption<Variables> =
  Record<string, never> extends Variables
    ? { readonly variables?: Variables | null | undefined }
    : { readonly variables: Variables };

/** What a `DocumentNode`, a `TypedDocumentNode` and a `TypedQueryDocumentNode` have in common. */
export interface TypedDocument<Data, Variables> {
  readonly kind: string;
  readonly definitions: readonly object[];
  readonly __apiType?: (variables: Variables) => Data;
  readonly __ensureTypesOfVariablesAndResultMatching?: (variables: Variables) => Data;
}

/** As the GraphQL specification defines a response. */
export interface OperationResult<Data> {
  /** Absent if the operation was not executed; null if a field that cannot be null failed. */
  readonly data?: Data | null;
  readonly errors?: readonly OperationError[];
  /** Added by plugins. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export interface OperationError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  /** `code`, `status` and the other fields of an error, as in a response to a client. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: without a typed document, the caller knows what it has selected.
export type AnyData = Readonly<Record<string, any>>;
export type AnyVariables = Readonly<Record<string, unknown>>;

export interface Settings {
  readonly [name: string]: string | undefined;
}

export interface Plugins {
  readonly [name: string]: object;
}

/** The context of plugins, besides what Yoga and plugins add. */
export interface PluginContext {
  /** Without its body, which has been read. */
  readonly request: Request;
  /** Undefined: unauthenticated. */
  readonly caller: Caller | undefined;
}

/** An application with its API key, or one of its customers with a customer token. */
export interface Caller {
  readonly application: { readonly id: string; readonly name: string };
  /** The public id of the key or token. */
  readonly credentialId: string;
  /** Present for a customer token. */
  readonly customer?: { readonly customerId: string } | undefined;
}

/** As pino's: the fields, then the message. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970. */
  wall(): number;
  /** Calls back once after the delay; the returned function cancels. */
  schedule(delayMs: number, callback: () => void): () => void;
}

export interface Demo {
  readonly apiKey: string;
  readonly customerId: string;
}
