import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Api, ApiError, ProviderFacts } from './api.ts';
import { type Address, toHref } from './router.ts';
import type { Application } from './types.ts';

/** What every view can use. */
export interface Console {
  readonly api: Api;
  readonly address: Address;
  /** Whether records may be looked up. */
  readonly contacts: boolean;
  readonly providers: readonly ProviderFacts[];
  readonly applications: readonly Application[];
  reloadApplications(): void;
  navigate(href: string, options?: { readonly replace?: boolean }): void;
  /** Says what a change did, and how a command does the same. */
  notify(done: Done): void;
  fail(error: unknown): void;
}

export interface Done {
  readonly text: string;
  /** The command, mutation or request that does the same. */
  readonly same?: string | undefined;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (!found) throw new Error('A view is outside of the console.');
  return found;
}

/** What is open in a view: the address has its id as the filter `name`. */
export function useOpened(name: string): Opened {
  const { address, navigate } = useConsole();
  const toAddress = (more: Readonly<Record<string, string | undefined>>) =>
    toHref(address.path, { ...address.filters, ...more });
  return {
    id: address.filters[name],
    hrefOf: (id) => toAddress({ [name]: id }),
    close: () => navigate(toAddress({ [name]: undefined })),
  };
}

interface Opened {
  /** Undefined: nothing is open. */
  readonly id: string | undefined;
  hrefOf(id: string): string;
  close(): void;
}

/**
 * Loads what a view shows, and again when `key` changes. What was loaded before stays until then, so that a view does
 * not flicker. An outdated response is dropped.
 */
export function useLoad<Data>(key: string, load: () => Promise<Data>): Loaded<Data> {
  const [state, setState] = useState<{ data?: Data; error?: ApiError; of?: string }>({});
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  // What is loaded is named by the key.
  useEffect(() => {
    let isCurrent = true;
    latest.current().then(
      (data) => isCurrent && setState({ data, of: key }),
      (error: ApiError) => isCurrent && setState((before) => ({ ...before, error, of: key })),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return { data: state.data, error: state.error, isLoading: state.of !== key, reload };
}

export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
  reload(): void;
}
