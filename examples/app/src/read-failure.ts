import type { CombinedError } from 'urql';

/**
 * Why a field of the response is null: the error at its path, or of the whole request. Its `code` is for programs, and
 * its `detail` for developers, so users read sentences of this app.
 */
export function readFailure(
  error: CombinedError | undefined,
  /** The field's path, such as `hubspot` or `node.deals`. */
  at: string,
  crm = 'The CRM',
): Failure | undefined {
  if (error === undefined) return undefined;
  const found =
    error.graphQLErrors.find(({ path }) => path?.join('.') === at) ??
    error.graphQLErrors.find(({ path }) => path === undefined);
  if (found) {
    const code = String(found.extensions['code'] ?? '');
    const [title, detail] = WORDS[code] ?? OTHER;
    return { title: title.replace('CRM', crm), detail, code };
  }
  if (!error.networkError) return undefined;
  return {
    title: 'No connection',
    detail:
      'Check your network, and try again. A developer finds the reason in the browser’s console.',
    code: '',
  };
}

const UNAVAILABLE = ['CRM does not answer at the moment', 'Try again in a few minutes.'] as const;
const BUSY = ['CRM is busy', 'Try again in a few seconds.'] as const;
const OTHER = ['Something went wrong', 'Try again. If it happens again, tell us.'] as const;

/** A title and a detail for each code that users can meet. */
const WORDS: Readonly<Record<string, readonly [title: string, detail: string]>> = {
  REMOTE_PROVIDER_UNAVAILABLE: UNAVAILABLE,
  REMOTE_PROVIDER_TIMEOUT: UNAVAILABLE,
  REMOTE_PROVIDER_ERROR: UNAVAILABLE,
  REMOTE_PROVIDER_BAD_RESPONSE: UNAVAILABLE,
  REMOTE_PROVIDER_RATE_LIMITED: BUSY,
  TOO_MANY_REQUESTS: BUSY,
  REMOTE_PROVIDER_UNAUTHORIZED: ['CRM no longer lets us in', 'Connect it again.'],
  REMOTE_PROVIDER_FORBIDDEN: [
    'CRM does not allow us this',
    'Ask the administrator of the CRM for access.',
  ],
  FORBIDDEN: ['CRM was not connected for this', 'Connect it again, with access to these records.'],
};

export interface Failure {
  readonly title: string;
  readonly detail: string;
  readonly code: string;
}
