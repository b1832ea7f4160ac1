/**
 * Lets a user connect a CRM from your page. Call it in a click handler, so that the browser allows the popup. It
 * accepts the popup's message only from Crossbook's origin, and polls the link's status as well. When the user has closed
 * the popup and is back on your page, it resolves with `CLOSED`, unless the link has ended. Without a popup the page itself navigates, and the
 * promise stays pending.
 */
export async function connect(options: ConnectOptions): Promise<ConnectResult> {
  const page = options.page ?? (globalThis as unknown as BrowserPage);
  const popup = options.popup === false ? null : page.open('', '_blank', WINDOW);
  const { signal } = options;
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
  // Without a link to wait for, nothing else handles it.
  stopped.catch(() => undefined);
  let end = (): void => undefined;
  try {
    const { id, url } = await Promise.race([options.createLink(), stopped]);
    if (popup) popup.location.replace(url);
    else page.location.assign(url);
    const waiting = { ...options, page, popup, id, origin: new URL(url).origin };
    const ended = new Promise<ConnectResult>((resolve) => {
      end = waitForEnd(waiting, resolve);
    });
    return await Promise.race([ended, stopped]);
  } catch (error) {
    popup?.close();
    throw error;
  } finally {
    end();
    signal?.removeEventListener('abort', stop);
  }
}

/** Calls back with the result, perhaps several times. Returns a function that stops waiting. */
function waitForEnd(
  { page, popup, id, origin, readStatus, pollMs = 2_000 }: Waiting,
  tell: (result: ConnectResult) => void,
): () => void {
  const hear = ({ origin: from, data }: ConnectMessage) => {
    const told = { ...(data as Partial<ConnectResult> & { readonly type?: string }) };
    if (from !== origin || told.type !== 'crossbook:connect' || told.connectLinkId !== id) return;
    const { status = 'FAILED', code, error } = told;
    // On failure the popup stays open, because it explains the next step.
    if (error === undefined) popup?.close();
    tell({ connectLinkId: id, status, code, error });
  };
  const ask = async () => {
    // The next poll may succeed.
    const link = await readStatus?.(id).catch(() => undefined);
    // Crossbook's REST API writes both in lower case.
    const status = link?.status.toUpperCase() ?? '';
    if (ENDED.includes(status))
      tell({ connectLinkId: id, status, error: link?.failure?.toUpperCase() });
  };
  const polling = setInterval(ask, pollMs);
  const watching = setInterval(async () => {
    // A popup that the CRM has cut off from this page seems closed as well, but then has the focus.
    if (!popup?.closed || page.document?.hasFocus() === false) return;
    clearInterval(watching);
    await ask();
    tell({ connectLinkId: id, status: 'CLOSED' });
  }, WATCH_MS);
  page.addEventListener('message', hear);
  return () => {
    clearInterval(polling);
    clearInterval(watching);
    page.removeEventListener('message', hear);
  };
}

const WINDOW = 'popup,width=520,height=760';
const WATCH_MS = 500;
const ENDED: readonly string[] = ['COMPLETED', 'FAILED', 'EXPIRED', 'CANCELED'];

export interface ConnectOptions {
  /** Requests a link from your server, created with `mode: POPUP` where a popup is used. */
  createLink(): Promise<{ readonly id: string; readonly url: string }>;
  /** Reads the link's status: with a customer token, `(id) => client.connectLink(id)`. */
  readStatus?(id: string): Promise<{ readonly status: string; readonly failure?: string | null }>;
  /** False: no popup, the page itself navigates. */
  readonly popup?: boolean;
  /** Aborting it closes the popup, and rejects with its reason. */
  readonly signal?: AbortSignal;
  /** The polling interval. Default: two seconds. */
  readonly pollMs?: number;
  /** Default: this window. */
  readonly page?: BrowserPage;
}

export interface ConnectResult {
  readonly connectLinkId: string;
  /**
   * `AWAITING_CONFIRMATION`: send the code to your server, which redeems it with `confirmConnectLink`. `CLOSED`: the user is
   * back without an end. If the CRM has cut off the popup from your page, it can still end at the link's `returnUrl`.
   */
  readonly status: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
}

/** The used part of `window`. */
export interface BrowserPage {
  readonly location: { assign(url: string): void };
  readonly document?: { hasFocus(): boolean };
  open(url: string, target: string, features: string): Popup | null;
  addEventListener(type: 'message', listener: (event: ConnectMessage) => void): void;
  removeEventListener(type: 'message', listener: (event: ConnectMessage) => void): void;
}

interface Popup {
  readonly location: { replace(url: string): void };
  readonly closed?: boolean;
  close(): void;
}

interface ConnectMessage {
  readonly origin: string;
  readonly data: unknown;
}

interface Waiting extends Pick<ConnectOptions, 'readStatus' | 'pollMs'> {
  readonly page: BrowserPage;
  readonly popup: Popup | null;
  readonly id: string;
  readonly origin: string;
}
