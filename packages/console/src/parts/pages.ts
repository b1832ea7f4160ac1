import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Page } from '../types.ts';

/** Pages of a list by cursors, from the first one again when `key` changes. */
export function usePages<Row>(
  key: string,
  load: (cursor: string | undefined) => Promise<Page<Row>>,
): Pages<Row> {
  const [state, setState] = useState<State<Row>>(NOTHING);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  /** The request that counts: an outdated response is dropped. */
  const current = useRef({});
  const read = useCallback((cursor: string | undefined, before: readonly Row[]) => {
    const own = {};
    current.current = own;
    setState((last) => ({ ...last, isLoading: true, error: undefined }));
    latest.current(cursor).then(
      ({ records, pagination: { next } }) => {
        if (current.current !== own) return;
        setState({ rows: [...before, ...records], next, isLoading: false, error: undefined });
      },
      (error: unknown) => {
        if (current.current === own) setState((last) => ({ ...last, isLoading: false, error }));
      },
    );
  }, []);
  // What is loaded is named by the key.
  useEffect(() => read(undefined, []), [key, round]);
  const { rows, next, isLoading, error } = state;
  return {
    rows,
    error,
    hasMore: next !== null && error === undefined,
    isEmpty: !isLoading && error === undefined && rows.length === 0,
    isLoading,
    loadMore: () => {
      if (!isLoading && next !== null) read(next, rows);
    },
    reload: useCallback(() => setRound((before) => before + 1), []),
  };
}

/** The row that an address names. More pages are read until it is found. */
export function useFound<Row>(
  { rows, hasMore, isLoading, loadMore }: Pages<Row>,
  isSought: ((row: Row) => boolean) | undefined,
): Row | undefined {
  const found = isSought && rows.find(isSought);
  const mustRead = isSought !== undefined && found === undefined && hasMore && !isLoading;
  useEffect(() => {
    if (mustRead) loadMore();
  }, [mustRead]);
  return found;
}

const NOTHING = { rows: [], next: null, isLoading: true, error: undefined };

interface State<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly error: unknown;
}

export interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isEmpty: boolean;
  readonly isLoading: boolean;
  loadMore(): void;
  reload(): void;
}
