import type { Allowance } from '../domain/allowance.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import { toJsonBody } from '../lib/to-json-body.ts';

/** Data is the caller's own: no cache between us keeps it. */
export function jsonResponse(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  { status = 200, allowance }: AnswerOptions = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    ...toJsonBody(body, allowance),
  };
}

/** It is done, and there is nothing to tell of it. */
export function answerEmpty(): HttpResponse {
  return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
}

interface AnswerOptions {
  readonly status?: number;
  /** Consumed while the body is written. */
  readonly allowance?: Pick<Allowance, 'consumeBytes' | 'isLarge'>;
}

/** Does `If-None-Match` hold the tag of what would be answered? Weak and strong are the same here. */
export function isNotModified(ifNoneMatch: string | null | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map(toStrong);
  return tags.includes('*') || tags.includes(toStrong(etag));
}

function toStrong(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
