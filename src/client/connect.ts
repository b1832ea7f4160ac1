/**
 * Lets a person connect a CRM from a page of yours: call it in the click, so that the browser lets the window open. It hears
 * the window's message from exactly Crossbook's origin. A page on the way may cut the two apart (then the window seems closed,
 * which proves nothing), so that the link's status is asked as well. Without a window the page itself goes there, and the
 * promise stays open.
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
      // What failed is said in the window, with what to do next.
      if (error === undefined) popup?.close();
      end(() => resolve({ connectLinkId: id, status, code, error }));
    };
    const ask = () => {
      readStatus?.(id).then(
        ({ status, failure }) => {
          if (!ENDED.includes(status)) return;
          end(() => resolve({ connectLinkId: id, status, error: failure ?? undefined }));
        },
        // The next one may come through.
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
  /** Asks your own server for a link; with `mode: POPUP` where a window is opened. */
  createLink(): Promise<{ readonly id: string; readonly url: string }>;
  /** How the link's status is asked: with a customer token, `(id) => client.connectLink(id)`. */
  readStatus?(id: string): Promise<{ readonly status: string; readonly failure?: string | null }>;
  /** False: no window, the page itself goes there. */
  readonly popup?: boolean;
  readonly signal?: AbortSignal;
  /** How often the status is asked. Default: every two seconds. */
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

/** What is used of a window. */
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
