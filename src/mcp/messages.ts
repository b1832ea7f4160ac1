import { CrossbookError } from '../domain/errors.ts';
import { isRecord } from '../lib/json.ts';
import { quote, shorten } from '../lib/text.ts';

/**
 * Reads the body of a request: one JSON-RPC message or a batch. It looks only at the members that the methods of this
 * server use; whatever else a message contains is ignored, and costs nothing.
 */
export function readMessages(body: unknown): readonly Message[] {
  if (!Array.isArray(body)) return [readMessage(body)];
  if (body.length > 0 && body.length <= MAX_MESSAGES) return body.map(readMessage);
  throw new CrossbookError(
    'BAD_REQUEST',
    `A batch must have 1 to ${MAX_MESSAGES} messages, but has ${body.length}.`,
  );
}

function readMessage(value: unknown): Message {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0')
    return invalid(
      'A message must be a JSON-RPC 2.0 object, such as {"jsonrpc":"2.0","id":1,"method":"tools/list"}.',
    );
  const { id, method, params = {} } = value;
  // The server sends no requests, so that it expects no responses.
  if (method === undefined && ('result' in value || 'error' in value))
    return { kind: 'notification' };
  if (id !== undefined && !isId(id))
    return invalid(
      `The id of a request must be a whole number, or text of at most ${MAX_ID_LENGTH} characters.`,
    );
  if (typeof method !== 'string')
    return invalid('A message must have a method, which is text.', id);
  if (!isRecord(params)) return invalid('The params of a message must be an object.', id);
  return id === undefined ? { kind: 'notification' } : { kind: 'request', id, method, params };
}

function invalid(problem: string, id: MessageId | null = null): Message {
  return { kind: 'invalid', id, problem };
}

function isId(value: unknown): value is MessageId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

/** Reads the parameters of `initialize`. What the client says about itself is not used. */
export function readInitialize({ params }: RequestMessage): { readonly protocolVersion: string } {
  const { protocolVersion } = params;
  if (typeof protocolVersion === 'string') return { protocolVersion };
  throw new ProtocolError(
    INVALID_PARAMS,
    'initialize must have the protocolVersion of the client, such as "2025-11-25".',
  );
}

/** Reads the parameters of `tools/call`. The schema of the tool checks the arguments. */
export function readToolCall({ params }: RequestMessage): ToolCallParams {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string')
    throw new ProtocolError(INVALID_PARAMS, 'tools/call must have the name of a tool.');
  if (!isRecord(args))
    throw new ProtocolError(INVALID_PARAMS, 'The arguments of tools/call must be an object.');
  return { name, args };
}

/** Whether a request is one of the newest revision, in which each request names its revision. */
export function namesRevision({ params }: RequestMessage): boolean {
  const { _meta: meta } = params;
  return isRecord(meta) && PROTOCOL_VERSION in meta;
}

/**
 * Checks what each request of the newest revision must have: its revision, the client's capabilities, and headers that
 * agree with the message, because gateways decide by the headers.
 */
export function checkRevision(request: RequestMessage, headers: ProtocolHeaders): void {
  const { method, params } = request;
  const meta = isRecord(params['_meta']) ? params['_meta'] : {};
  const version = meta[PROTOCOL_VERSION];
  if (typeof version !== 'string') throw incomplete(PROTOCOL_VERSION, `"${NEWEST_REVISION}"`);
  if (!isRecord(meta[CLIENT_CAPABILITIES])) throw incomplete(CLIENT_CAPABILITIES, '{}');
  compare('mcp-protocol-version', headers, version);
  if (version !== NEWEST_REVISION)
    throw new ProtocolError(
      UNSUPPORTED_REVISION,
      `The revision ${quote(version)} is not supported. Supported: ${NEWEST_REVISION}; older ones begin with initialize.`,
      { status: 400, data: { supported: [NEWEST_REVISION], requested: shorten(version) } },
    );
  compare('mcp-method', headers, method);
  // Names of tools are ASCII, so that no client has to encode them.
  if (method === 'tools/call') compare('mcp-name', headers, readToolCall(request).name);
}

/** Checks the revision of a request that was agreed on by an earlier `initialize`. */
export function checkOlderRevision(headers: ProtocolHeaders): void {
  const version = headers.get('mcp-protocol-version');
  if (version === null || OLDER_REVISIONS.includes(version)) return;
  throw new ProtocolError(
    SERVER_ERROR,
    `The revision ${quote(version)} of the header mcp-protocol-version is not supported. Supported: ${[NEWEST_REVISION, ...OLDER_REVISIONS].join(', ')}.`,
    { status: 400 },
  );
}

function incomplete(member: string, example: string): ProtocolError {
  return new ProtocolError(
    INVALID_PARAMS,
    `A request of the revision ${NEWEST_REVISION} must have "${member}" in params._meta, such as ${example}.`,
    { status: 400 },
  );
}

function compare(name: string, headers: ProtocolHeaders, expected: string): void {
  const value = headers.get(name);
  if (value === expected) return;
  const found = value === null ? 'is missing' : `is ${quote(value)}`;
  throw new ProtocolError(
    HEADER_MISMATCH,
    `The header ${name} ${found}, but must be ${quote(expected)} as in the message.`,
    { status: 400 },
  );
}

/** An error of JSON-RPC, in our words. */
export class ProtocolError extends Error {
  readonly code: number;
  /** The HTTP status of a response to a single message. */
  readonly status: number;
  readonly data: object | undefined;

  constructor(
    code: number,
    message: string,
    { status = 200, data }: { readonly status?: number; readonly data?: object } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export const NEWEST_REVISION = '2026-07-28';
/** Of these a client and the server agree on one by `initialize`. The first is the default. */
export const OLDER_REVISIONS: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
];

export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
/** The code that JSON-RPC leaves to servers: the HTTP status and `data` say more. */
export const SERVER_ERROR = -32_000;
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_REVISION = -32_022;

const PROTOCOL_VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** As many as operations in a GraphQL batch. */
const MAX_MESSAGES = 10;
/** Responses repeat it. */
const MAX_ID_LENGTH = 100;

export type MessageId = string | number;

export interface RequestMessage {
  readonly kind: 'request';
  readonly id: MessageId;
  readonly method: string;
  /** Unread. */
  readonly params: Readonly<Record<string, unknown>>;
}

export type Message =
  | RequestMessage
  /** Or a response: nothing is done for it, and there is no response to it. */
  | { readonly kind: 'notification' }
  | { readonly kind: 'invalid'; readonly id: MessageId | null; readonly problem: string };

interface ToolCallParams {
  readonly name: string;
  /** Unread. */
  readonly args: Readonly<Record<string, unknown>>;
}

export interface ProtocolHeaders {
  /** Names are in lower case. */
  get(name: string): string | null;
}
