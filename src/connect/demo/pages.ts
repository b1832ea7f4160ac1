import type { ConnectFailure } from '../../domain/connect-link.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { HttpAnswer } from '../../lib/http-message.ts';
import { html } from '../markup.ts';
import { toPage } from '../pages/page.ts';
import { FAILURES, PROVIDER_TITLES } from '../texts.ts';

/** The application's part: it vouches for the person who came back. */
export function toConfirmPage({ id, code }: Confirmation): HttpAnswer {
  return toPage({
    title: TEXTS.confirm.title,
    body: html`<h1>${TEXTS.confirm.title}</h1>
<p>${TEXTS.confirm.text}</p>
<form method="post" action="/demo/connected">
<input type="hidden" name="connect_link_id" value="${id}">
<input type="hidden" name="code" value="${code}">
<button>${TEXTS.confirm.go}</button>
</form>`,
    hasForm: true,
  });
}

export function toConnectedPage({ provider, contact, command }: Connected): HttpAnswer {
  const title = `${PROVIDER_TITLES[provider]} ${TEXTS.connected.title}`;
  return toPage({
    title,
    body: html`<h1>${title}</h1>
<p>${TEXTS.connected.text}</p>
${contact && html`<p>${TEXTS.connected.found} <b>${contact.email}</b>: <b><bdi>${contact.name}</bdi></b></p>`}
<h2>${TEXTS.connected.again}</h2>
<pre tabindex="0">${command}</pre>
<a class="go" href="/">${TEXTS.back}</a>`,
  });
}

export function toNotConnectedPage({ failure }: { readonly failure: ConnectFailure | null }): HttpAnswer {
  return toPage({
    title: TEXTS.notConnected.title,
    body: html`<h1>${TEXTS.notConnected.title}</h1>
<p>${failure === null ? TEXTS.notConnected.open : FAILURES[failure]}</p>
<form method="post" action="/demo/connect">
<button>${TEXTS.notConnected.go}</button>
</form>
<p><a href="/">${TEXTS.back}</a></p>`,
    hasForm: true,
  });
}

const TEXTS = {
  back: 'Back to the start',
  confirm: {
    title: 'One step is left',
    text: 'The CRM has agreed, and nothing is connected yet. Your application now confirms that the person who agreed is the one whom it sent: it redeems the code that has come back with them. Here you are the application.',
    go: 'Confirm',
  },
  connected: {
    title: 'is connected',
    text: 'From now on this customer’s contacts are searched in the account that was chosen.',
    found: 'Found there just now, by',
    again: 'Search it again, from a terminal',
  },
  notConnected: {
    title: 'Not connected',
    open: 'This link was not followed to its end.',
    go: 'Try again',
  },
} as const;

interface Confirmation {
  readonly id: string;
  readonly code: string;
}

interface Connected {
  readonly provider: ProviderName;
  /** Undefined: nobody there has that address. */
  readonly contact: { readonly email: string; readonly name: string } | undefined;
  readonly command: string;
}
