import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, test, vi } from 'vitest';
import { type BrowserPage, connect } from '../src/index.ts';

const LINK = { id: 'link-1', url: 'https://crossbook.example/connect/token' };
const RESULT = {
  type: 'crossbook:connect',
  connectLinkId: 'link-1',
  status: 'AWAITING_CONFIRMATION',
  code: 'code',
};

test('the window opens synchronously, goes to the link, and closes once it has posted the code', async () => {
  const page = openFakePage();
  const connected = connect({ page, createLink: async () => LINK });
  expect(page.seen).toEqual(['open']);
  await page.settle();
  page.tell('https://crossbook.example', RESULT);
  expect(await connected).toEqual({
    connectLinkId: 'link-1',
    status: 'AWAITING_CONFIRMATION',
    code: 'code',
  });
  expect(page.seen).toEqual(['open', `replace ${LINK.url}`, 'close']);
  expect(page.listeners.size).toBe(0);
});

test('only messages from Crossbook’s own origin, and of this link, are accepted', async () => {
  const page = openFakePage();
  const connected = connect({ page, createLink: async () => LINK });
  await page.settle();
  page.tell('https://evil.example', { ...RESULT, code: 'evil' });
  page.tell('https://crossbook.example.evil.example', { ...RESULT, code: 'evil' });
  page.tell('https://crossbook.example', { ...RESULT, connectLinkId: 'another', code: 'evil' });
  page.tell('https://crossbook.example', null);
  page.tell('https://crossbook.example', RESULT);
  expect((await connected).code).toBe('code');
});

test('where the window cannot post messages, the status of the link is polled until it has ended', async () => {
  const page = openFakePage();
  const statuses = ['PENDING', 'AWAITING_CONFIRMATION', 'COMPLETED'];
  const readStatus = async () => ({ status: statuses.shift() ?? 'COMPLETED', failure: null });
  const result = await connect({ page, createLink: async () => LINK, readStatus, pollMs: 1 });
  expect(result).toEqual({ connectLinkId: 'link-1', status: 'COMPLETED' });
  expect(statuses).toEqual([]);
});

test('where no window can be opened, the page itself goes to the link', async () => {
  const page = openFakePage({ isBlocked: true });
  void connect({ page, createLink: async () => LINK });
  await page.settle();
  expect(page.seen).toEqual(['open', `assign ${LINK.url}`]);
});

test('when the user cancels or no link could be created, the promise rejects and the window closes', async () => {
  const page = openFakePage();
  const abort = new AbortController();
  const connected = connect({ page, createLink: async () => LINK, signal: abort.signal });
  await page.settle();
  abort.abort(new Error('enough'));
  await expect(connected).rejects.toThrow('enough');
  expect(page.seen.at(-1)).toBe('close');
  const other = openFakePage();
  const failing = connect({ page: other, createLink: () => Promise.reject(new Error('no link')) });
  await expect(failing).rejects.toThrow('no link');
  expect(other.seen).toEqual(['open', 'close']);
});

test('when the user closes the window, the promise settles, with the end of the link if it has one', async () => {
  vi.useFakeTimers();
  try {
    const page = openFakePage();
    const connected = connect({ page, createLink: async () => LINK });
    await page.settle();
    page.popup.closed = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await connected).toEqual({ connectLinkId: 'link-1', status: 'CLOSED' });
    expect(page.listeners.size).toBe(0);
    const other = openFakePage();
    const readStatus = async () => ({ status: 'failed', failure: 'access_denied' });
    const ended = connect({
      page: other,
      createLink: async () => LINK,
      readStatus,
      pollMs: 60_000,
    });
    await other.settle();
    other.popup.closed = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await ended).toMatchObject({ status: 'FAILED', error: 'ACCESS_DENIED' });
  } finally {
    vi.useRealTimers();
  }
});

test('a window that the CRM has cut off seems closed, and is waited for until the user is back on the page', async () => {
  vi.useFakeTimers();
  try {
    const page = openFakePage();
    let hasFocus = false;
    let status = 'STARTED';
    const connected = connect({
      page: { ...page, document: { hasFocus: () => hasFocus } },
      createLink: async () => LINK,
      readStatus: async () => ({ status, failure: null }),
    });
    let ends = 0;
    void connected.then(() => {
      ends += 1;
    });
    page.popup.closed = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ends).toBe(0);
    hasFocus = true;
    status = 'COMPLETED';
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await connected).status).toBe('COMPLETED');
  } finally {
    vi.useRealTimers();
  }
});

test('an abort is not kept waiting by a link that is being created', async () => {
  const page = openFakePage();
  const abort = new AbortController();
  const never = new Promise<never>(() => undefined);
  const connected = connect({ page, createLink: () => never, signal: abort.signal });
  abort.abort(new Error('left the page'));
  await expect(connected).rejects.toThrow('left the page');
  expect(page.seen).toEqual(['open', 'close']);
});

test('the connect script is smaller than 2 KB in a page', async () => {
  const source = join(import.meta.dirname, '../src/connect.ts');
  const { code } = await transform(readFileSync(source, 'utf8'), {
    loader: 'ts',
    minify: true,
  });
  expect(code.length).toBeLessThan(2_048);
});

function openFakePage({ isBlocked = false } = {}) {
  const seen: string[] = [];
  const listeners = new Set<(event: { origin: string; data: unknown }) => void>();
  const popup = {
    closed: false,
    location: { replace: (url: string) => void seen.push(`replace ${url}`) },
    close: () => void seen.push('close'),
  };
  const page: BrowserPage = {
    location: { assign: (url) => void seen.push(`assign ${url}`) },
    open() {
      seen.push('open');
      return isBlocked ? null : popup;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  };
  return {
    ...page,
    seen,
    popup,
    listeners,
    tell(origin: string, data: unknown) {
      for (const listener of [...listeners]) listener({ origin, data });
    },
    async settle() {
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}
