/** An error response: the API's array body is built from it. */
export class SalesforceError extends Error {
  override readonly name = 'SalesforceRefusal';
  readonly status: number;
  readonly errorCode: string;
  readonly fields: readonly string[] | undefined;
  /** Further members of the error. */
  readonly more: object;

  constructor(
    status: number,
    errorCode: string,
    message: string,
    fields?: readonly string[],
    more: object = {},
  ) {
    super(message);
    this.more = more;
    this.status = status;
    this.errorCode = errorCode;
    this.fields = fields;
  }
}

export function notFound(): SalesforceError {
  return new SalesforceError(404, 'NOT_FOUND', 'The requested resource does not exist');
}

/** A query error with an excerpt that marks the position: rows are lines of the query, columns count from 1. */
export function queryFault(soql: string, fault: QueryFault): SalesforceError {
  const lineStart = soql.lastIndexOf('\n', Math.max(0, fault.at - 1)) + 1;
  const row = soql.slice(0, lineStart).split('\n').length;
  const column = fault.at - lineStart + 1;
  const from = Math.max(lineStart, fault.at - PICTURE_WIDTH);
  const lineEnd = soql.indexOf('\n', fault.at);
  const to = Math.min(lineEnd < 0 ? soql.length : lineEnd, fault.at + PICTURE_WIDTH);
  const picture = `\n${soql.slice(from, to)}\n${' '.repeat(fault.at - from)}^`;
  const message = `${picture}\nERROR at Row:${row}:Column:${column}\n${fault.text}`;
  return new SalesforceError(400, fault.errorCode, message);
}

const PICTURE_WIDTH = 60;

interface QueryFault {
  readonly errorCode: string;
  /** The position in the query, from 0. */
  readonly at: number;
  readonly text: string;
}
