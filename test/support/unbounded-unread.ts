import { UnreadBytes } from '../../src/http/unread-bytes.ts';

/** For tests that assert nothing about unread responses. */
export const UNBOUNDED = new UnreadBytes(Number.POSITIVE_INFINITY);
