import type { App } from '../../src/app.ts';
import { toFetch } from './to-fetch.ts';

/** A browser without scripts: it stores cookies until they expire, and does not follow redirects by itself. */
export function openBrowser(app: Pick<App, 'answer'>, wall = Date.now): Browser {
  return openBrowserOver(toFetch(app.answer), wall);
}

/** The same over HTTP, to a process of its own. */
export function openWireBrowser(): Browser {
  return openBrowserOver((request) => fetch(request, { redirect: 'manual' }));
}

function openBrowserOver(ask: (request: Request) => Promise<Response>, wall = Date.now): Browser {
  const cookies = new Map<string, string>();
  const expiries = new Map<string, number>();
  const seen: string[] = [];

  const visit: Browser['visit'] = async (
    url,
    { method = 'GET', form, json, headers = {} } = {},
  ) => {
    for (const [name, expiry] of expiries) if (expiry <= wall()) cookies.delete(name);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = {
      cookie,
      ...(form && {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      }),
      ...headers,
    };
    const response = await ask(
      new Request(url, {
        method,
        // An older browser lacks some of them: an empty one is not sent.
        headers: Object.entries(sent).filter(([, value]) => value !== ''),
        ...(form && { body: new URLSearchParams(form).toString() }),
        ...(json !== undefined && { body: JSON.stringify(json) }),
      }),
    );
    const setCookie = response.headers.get('set-cookie') ?? '';
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(setCookie) ?? [];
    if (name !== '') cookies.set(name, value);
    const [, maxAge] = /; Max-Age=(\d+)/.exec(setCookie) ?? [];
    if (maxAge !== undefined) expiries.set(name, wall() + Number(maxAge) * 1_000);
    const text = await response.text();
    seen.push(text);
    return { status: response.status, headers: response.headers, text };
  };

  return {
    cookies,
    seen,
    visit,
    start: async (linkUrl, form) => {
      const page = await visit(`${linkUrl}/start`, { method: 'POST', form });
      return { ...page, consentUrl: readConsentUrl(page.text) };
    },
  };
}

/** The user's action on the provider's page; returns the URL that the provider redirects to. */
export async function consent(
  consentUrl: string,
  { decision = 'allow', account }: { decision?: 'allow' | 'deny'; account?: string } = {},
): Promise<string> {
  const page = account === undefined ? await (await fetch(consentUrl)).text() : '';
  const [, first = ''] = /name="account" value="([^"]*)"[^>]* checked/.exec(page) ?? [];
  const response = await fetch(consentUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ decision, account: account ?? first }),
  });
  const location = response.headers.get('location');
  if (location === null)
    throw new Error(`The provider keeps the browser: ${await response.text()}`);
  return location;
}

function readConsentUrl(page: string): string {
  const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(page) ?? [];
  return url.replaceAll('&amp;', '&');
}

export interface Browser {
  readonly cookies: Map<string, string>;
  /** The text of every visited page. */
  readonly seen: readonly string[];
  visit(
    url: string,
    options?: {
      method?: string;
      form?: Record<string, string>;
      json?: unknown;
      headers?: Record<string, string>;
    },
  ): Promise<Visited>;
  /** Submits the form of a link's page. */
  start(
    linkUrl: string,
    form: Record<string, string>,
  ): Promise<Visited & { readonly consentUrl: string }>;
}

export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
