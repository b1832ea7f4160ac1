import type { ProviderName } from '../../domain/provider-names.ts';
import type { HttpAnswer } from '../../lib/http-message.ts';
import { html } from '../markup.ts';
import { PROVIDER_TITLES, TEXTS } from '../texts.ts';
import { toPage } from './page.ts';

/**
 * The way to the provider. No redirect: with `form-action 'self'` browsers stop a form that is redirected to another host
 * without a word. So the page itself leads on, and has a link for those that do not follow.
 */
export function toLeavingPage({ provider, consentUrl, setCookie, isPopup }: LeavingPage): HttpAnswer {
  const { leaving } = TEXTS;
  return toPage({
    title: leaving.title,
    head: html`<meta http-equiv="refresh" content="0; url=${consentUrl}">
`,
    body: html`<h1>${leaving.title}</h1>
<p>${leaving.lead} ${PROVIDER_TITLES[provider]}.</p>
<a class="go" href="${consentUrl}" rel="noreferrer">${leaving.go}</a>`,
    isPopup,
    headers: { 'set-cookie': setCookie },
  });
}

interface LeavingPage {
  readonly provider: ProviderName;
  readonly consentUrl: string;
  readonly setCookie: string;
  readonly isPopup: boolean;
}
