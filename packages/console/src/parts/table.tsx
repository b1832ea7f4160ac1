// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be positioned.
// biome-ignore-all lint/a11y/useFocusableInteractive: rows and headers do nothing; their links can be focused.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the list.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './basics.tsx';
import type { Pages } from './pages.ts';

/** A short list: an ordinary table. On narrow screens each row becomes a block with the names of its columns, unless they are numbers. */
export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return empty ?? null;
  // A table of numbers is legible on narrow screens, too.
  const isNarrow = columns.slice(1).every(({ isNumber }) => isNumber);
  return (
    <table class={isNarrow ? 'table' : 'table blocks'}>
      <caption class="unseen">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, isNumber }) => (
              <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The first rows of a list, and a button that shows all of them. */
export function Shortened<Row>({ rows, ...table }: TableProps<Row>) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <Table {...table} rows={isWhole ? rows : rows.slice(0, SHOWN)} />
      {isWhole || rows.length <= SHOWN ? null : (
        <button type="button" class="plain small" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </button>
      )}
    </>
  );
}

/** The rows that are shown first. */
const SHOWN = 5;

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** In place of a table without rows. */
  readonly empty?: VNode;
  keyOf(row: Row): string;
}

export interface Column<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Not shown on narrow screens. */
  readonly isWide?: boolean;
  /** A share of the width, for long lists. */
  readonly share?: number;
  cell(row: Row): ComponentChildren;
}

/**
 * A list of any length: only the visible rows are in the page. More rows are loaded when the end comes into view. It is a
 * grid for screen readers, with the number of all rows that are known.
 */
export function LongList<Row>({
  label,
  columns,
  pages: { rows, hasMore, loadMore, isEmpty, error, reload },
  keyOf,
  empty,
}: LongListProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const virtual = useRef<Virtualizer<HTMLDivElement, Element>>(undefined);
  const options = {
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((round) => round + 1),
  };
  virtual.current ??= new Virtualizer(options);
  const list = virtual.current;
  list.setOptions(options);
  useLayoutEffect(() => list._didMount(), [list]);
  useLayoutEffect(() => list._willUpdate());
  const visible = list.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && last >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd) loadMore();
  }, [isNearEnd, rows.length]);
  const style = {
    '--columns': toShares(columns),
    '--narrow-columns': toShares(columns.filter(({ isWide }) => !isWide)),
  };
  if (isEmpty) return empty ?? null;
  const problem = error ? <Problem error={error} onRetry={reload} /> : null;
  if (problem && rows.length === 0) return problem;
  return (
    <>
      {problem}
      <div
        class="long-list"
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        style={style}
      >
        <div role="row" class="long-row head" aria-rowindex={1}>
          {columns.map(({ title, isWide, isNumber }) => (
            <span role="columnheader" key={title} class={toClass(isWide, isNumber)}>
              {title}
            </span>
          ))}
        </div>
        <div class="scroller" ref={scroller} tabIndex={0} role="rowgroup">
          <div class="sizer" style={{ height: `${list.getTotalSize()}px` }} role="presentation">
            {visible.map(({ index, start }) => {
              const row = rows[index];
              if (row === undefined) return null;
              return (
                <div
                  role="row"
                  class="long-row"
                  key={keyOf(row)}
                  aria-rowindex={index + 2}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {columns.map(({ title, cell, isWide, isNumber }) => (
                    <span role="cell" key={title} class={toClass(isWide, isNumber)}>
                      {cell(row)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

function toShares(columns: readonly { readonly share?: number }[]): string {
  return columns.map(({ share = 1 }) => `minmax(0, ${share}fr)`).join(' ');
}

function toClass(isWide = false, isNumber = false): string {
  return `${isWide ? 'wide ' : ''}${isNumber ? 'number' : ''}`;
}

const ROW_HEIGHT = 52;

interface LongListProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly pages: Pages<Row>;
}
