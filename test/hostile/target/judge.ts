import type { Gets } from '../corpus/line.ts';
import { createSecretFinder } from './find-secret.ts';
import type { Received } from './send.ts';

/**
 * Reports the problems of a response: violated expectations, and what no response may contain. Empty: no problem.
 */
export function createJudge(secrets: readonly string[]): Judge {
  const findSecret = createSecretFinder(secrets);
  return {
    findSecret,
    check(received, { status, codes, complete = false, maxBytes, has, hasNot }) {
      const { text, bytes } = received;
      const answers = readAnswers(text);
      const errors = answers.flatMap(readErrors);
      const wrongCodes = codes ? errors.map(codeOf).filter((code) => !codes.test(code)) : [];
      return compact([
        !status.includes(received.status === PARTIAL ? 200 : received.status) &&
          `status ${received.status} instead of ${status.join(' or ')}`,
        answers.length === 0 && 'no JSON',
        wrongCodes.length > 0 && `${wrongCodes.length} errors with the code ${wrongCodes[0]}`,
        complete && errors.length > 0 && `an error: ${JSON.stringify(errors[0]).slice(0, 300)}`,
        maxBytes !== undefined &&
          bytes > maxBytes &&
          `${bytes} bytes, and the limit is ${maxBytes}`,
        has && !has.test(text) && `nothing in it is like ${has}`,
        hasNot?.test(text) && `there is in it what is like ${hasNot}`,
        ...this.checkAlways(received),
      ]);
    },
    checkAlways({ status, text }) {
      const errors = readAnswers(text).flatMap(readErrors);
      const bug = errors.find((error) => codeOf(error) === 'INTERNAL_SERVER_ERROR');
      const long = errors.find(({ detail, message, extensions }) =>
        [detail, message, extensions?.detail].some((part) => (part?.length ?? 0) > MESSAGE_LENGTH),
      );
      const secret = text.length <= MOST_READ ? findSecret(text) : undefined;
      return compact([
        (status === 500 || bug !== undefined) && `a bug: ${status} ${text.slice(0, 300)}`,
        long && `an error of ${JSON.stringify(long).length} characters`,
        secret !== undefined && `a secret: ${around(text, secret)}`,
      ]);
    },
  };
}

function readAnswers(text: string): readonly Answer[] {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    return [];
  }
}

function readErrors({ errors = [] }: Answer): readonly AnyError[] {
  return errors;
}

/** In GraphQL the code is in the extensions. */
function codeOf({ code, extensions }: AnyError): string {
  return extensions?.code ?? code ?? 'none';
}

function around(text: string, piece: string): string {
  const at = text.toLowerCase().indexOf(piece);
  return at < 0
    ? `spelled otherwise in ${text.slice(0, 300)}`
    : text.slice(Math.max(0, at - 80), at + 80);
}

function compact(findings: readonly (string | false | undefined)[]): string[] {
  return findings.filter((finding) => typeof finding === 'string');
}

/** Data with errors, in GraphQL's own media type. */
const PARTIAL = 294;

/** The maximum that a message may quote. */
const MESSAGE_LENGTH = 2_048;
/** Longer responses are data: secrets planted there are also planted in shorter ones. */
const MOST_READ = 256 * 1024;

export interface Judge {
  check(received: Received, gets: Gets): string[];
  /** The checks for every response. */
  checkAlways(received: Received): string[];
  findSecret(text: string): string | undefined;
}

interface Answer {
  readonly errors?: readonly AnyError[];
}

interface AnyError {
  readonly code?: string;
  readonly detail?: string;
  readonly message?: string;
  readonly extensions?: { readonly code?: string; readonly detail?: string };
}
