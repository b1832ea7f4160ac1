import type { Callback } from '../usecases/finish-authorization.ts';

/** Undefined where a parameter comes twice: what one reader takes for the state, another may not. */
export function readCallback(query: URLSearchParams): Omit<Callback, 'provider' | 'cookies'> | undefined {
  const names = ['state', 'code', 'error', 'error_description'];
  if (names.some((name) => query.getAll(name).length > 1)) return undefined;
  return {
    state: query.get('state'),
    code: query.get('code'),
    error: query.get('error')?.slice(0, LONGEST) ?? null,
    errorDescription: query.get('error_description')?.slice(0, LONGEST) ?? null,
  };
}

/** Of what is only compared with known words. */
const LONGEST = 500;
