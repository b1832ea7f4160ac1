import type { CombinedError } from 'urql';

/**
 * Why a field of the response is null: the error at its path, or of the whole request. `extensions` is Crossbook's
 * common error object: `title` and `detail` are for people, `code` for programs.
 */
export function readFailure(error: CombinedError | undefined, alias: string): Failure | undefined {
  if (error === undefined) return undefined;
  const found =
    error.graphQLErrors.find(({ path }) => path?.[0] === alias) ??
    error.graphQLErrors.find(({ path }) => path === undefined);
  if (found) {
    const { title, detail, code } = found.extensions;
    return {
      title: String(title ?? found.message),
      detail: String(detail ?? ''),
      code: String(code ?? ''),
    };
  }
  return error.networkError && { title: 'No answer', detail: error.networkError.message, code: '' };
}

export interface Failure {
  readonly title: string;
  readonly detail: string;
  readonly code: string;
}
