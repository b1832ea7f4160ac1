import { readForm, type SandboxRequest } from '../http.ts';

/**
 * The decision of the user on the consent page. Undefined: the page was only requested, or another site posted the
 * form.
 */
export function readDecision(request: SandboxRequest): Decision | undefined {
  if (request.method !== 'POST' || !isOfThisPage(request)) return undefined;
  const form = readForm(request);
  return { isAllowed: form.get('decision') === 'allow', accountId: form.get('account') };
}

/** Rejects foreign host names that resolve to this machine (DNS rebinding). */
export function isLoopback({ headers }: SandboxRequest): boolean {
  return /^(?:127\.0\.0\.1|(?:[a-z0-9-]+\.)*localhost)(?::\d+)?$/i.test(headers.host ?? '');
}

function isOfThisPage({ headers }: SandboxRequest): boolean {
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

export interface Decision {
  readonly isAllowed: boolean;
  readonly accountId: string | null;
}
