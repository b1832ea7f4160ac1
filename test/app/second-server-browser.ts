/** Logs in and consents on the second server's own pages, like a browser; returns the URL that it redirects to. */
export async function logInAndConsent(consentUrl: string): Promise<string> {
  const { origin } = new URL(consentUrl);
  const cookies = new Map<string, string>();
  let [url, form]: [string, URLSearchParams | undefined] = [consentUrl, undefined];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const html = await response.text();
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== origin) return next.href;
      [url, form] = [next.href, undefined];
      continue;
    }
    const [, prompt] = /name="prompt" value="(login|consent)"/.exec(html) ?? [];
    if (response.status !== 200 || prompt === undefined)
      throw new Error(`The server keeps the browser: ${response.status}`);
    form = new URLSearchParams({ prompt, login: 'ada', password: 'any' });
  }
  throw new Error('The server sends the browser round in circles.');
}

const MAX_PAGES = 12;
