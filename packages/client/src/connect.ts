/**
 * Lets a user connect a CRM from your page. Call it in a click handler, so that the browser allows the popup. It
 * accepts the popup's message only from Crossbook's origin. A page in between may cut off the opener (then the popup
 * seems closed, which proves nothing), so the link's status is polled as well. Without a popup the page itself
 * navigates, and the promise stays pending.
 */
export async function connect(options: ConnectOptions): Promise<ConnectResult> {
  const page = options.page ?? (globalThis as unknown as BrowserPage);
  const popup = options.popup === false ? null : page.open('', '_blank', WINDOW);
  try {
    const { id, url } = await options.createLink();
    if (popup) popup.location.replace(url);
    else page.location.assign(url);
    return await waitForEnd({ ...options, page, popup, id, origin: new URL(url).origin });
  } catch (error) {
    popup?.close();
    throw error;
  }
}

function waitForEnd({
  page,
  popup,
  id,
  origin,
  readStatus,
  signal,
  pollMs = 2_000,
}: Waiting): Promise<ConnectResult> {
  return new Promise((resolve, reject) => {
    const hear = ({ origin: from, data }: ConnectMessage) => {
      const told = { ...(data as Partial<ConnectResult> & { readonly type?: string }) };
      if (from !== origin || told.type !== 'crossbook:connect' || told.connectLinkId !== id) return;
      const { status = 'FAILED', code, error } = told;
      // On failure the popup stays open, because it explains the next step.
      if (error === undefined) popup?.close();
      end(() => resolve({ connectLinkId: id, status, code, error }));
    };
    const ask = () => {
      readStatus?.(id).then(
        (link) => {
          // Crossbook's REST API writes both in lower case.
          const status = link.status.toUpperCase();
          if (!ENDED.includes(status)) return;
          const error = link.failure?.toUpperCase();
          end(() => resolve({ connectLinkId: id, status, error }));
        },
        // The next poll may succeed.
        () => undefined,
      );
    };
    const stop = () => end(() => reject(signal?.reason));
    const timer = setInterval(ask, pollMs);
    const end = (settle: () => void) => {
      clearInterval(timer);
      page.removeEventListener('message', hear);
      signal?.removeEventListener('abort', stop);
      settle();
    };
    page.addEventListener('message', hear);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
}

const WINDOW = 'popup,width=520,height=760';
const ENDED: readonly string[] = ['COMPLETED', 'FAILED', 'EXPIRED', 'CANCELED'];

export interface ConnectOptions {
  /** Requests a link from your server, created with `mode: POPUP` where a popup is used. */
  createLink(): Promise<{ readonly id: string; readonly url: string }>;
  /** Reads the link's status: with a customer token, `(id) => client.connectLink(id)`. */
  readStatus?(id: string): Promise<{ readonly status: string; readonly failure?: string | null }>;
  /** False: no popup, the page itself navigates. */
  readonly popup?: boolean;
  readonly signal?: AbortSignal;
  /** The polling interval. Default: two seconds. */
  readonly pollMs?: number;
  /** Default: this window. */
  readonly page?: BrowserPage;
}

export interface ConnectResult {
  readonly connectLinkId: string;
  /** `AWAITING_CONFIRMATION`: send the code to your server, which redeems it with `confirmConnectLink`. */
  readonly status: string;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
}

/** The used part of `window`. */
export interface BrowserPage {
  readonly location: { assign(url: string): void };
  open(
    url: string,
    target: string,
    features: string,
  ): { readonly location: { replace(url: string): void }; close(): void } | null;
  addEventListener(type: 'message', listener: (event: ConnectMessage) => void): void;
  removeEventListener(type: 'message', listener: (event: ConnectMessage) => void): void;
}

interface ConnectMessage {
  readonly origin: string;
  readonly data: unknown;
}

interface Waiting extends Omit<ConnectOptions, 'popup'> {
  readonly page: BrowserPage;
  readonly popup: ReturnType<BrowserPage['open']>;
  readonly id: string;
  readonly origin: string;
}
