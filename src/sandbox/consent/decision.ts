import { readForm, type SandboxRequest } from '../http.ts';

/** What the person on the page has decided. Undefined: the page is only looked at, or another site sends the form. */
export function readDecision(request: SandboxRequest): Decision | undefined {
  if (request.method !== 'POST' || !isOfThisPage(request)) return undefined;
  const form = readForm(request);
  return { isAllowed: form.get('decision') === 'allow', accountId: form.get('account') };
}

/** Only pages of this machine: a name of another site that leads here (DNS rebinding) must not show them. */
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
