import { expect } from 'vitest';

/** Asserts that the response has exactly one error, complete and in REST's format. Returns its id. */
export function expectOneError(heard: string, status: number): string {
  expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
  expect(heard).toMatch(/\r\nconnection: close\r\n/i);
  const errors = readErrors(heard);
  expect(errors).toEqual([toShape(status)]);
  return errors[0].id;
}

export function toShape(status: number) {
  const code = CODES[status];
  return {
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    code,
    problem_type: code,
    status: String(status),
    title: expect.any(String),
    detail: expect.stringMatching(/\.$/),
    meta: { origin: 'crossbook', retryable: status === 408 },
  };
}

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  417: 'EXPECTATION_FAILED',
  431: 'REQUEST_HEADER_FIELDS_TOO_LARGE',
};

export function readErrors(heard: string) {
  const [head = '', body = ''] = heard.split('\r\n\r\n');
  expect(head).toContain(`content-length: ${body.length}`);
  expect(head).toContain('content-type: application/json');
  expect(head).toContain('x-content-type-options: nosniff');
  return JSON.parse(body).errors;
}
