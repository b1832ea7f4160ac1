import type { Turn } from './column.tsx';
import type { ContactPageFragment } from './operations.generated.ts';
import { PAGE_SIZE } from './page-size.ts';

/** Both directions, by the cursors of the current page. */
export function Pager({ page, offset, isBusy, onTurn }: PagerProps) {
  const { nodes, pageInfo, totalCount } = page;
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
  const showNext = () =>
    onTurn({ cursor: { first: PAGE_SIZE, after: endCursor }, offset: offset + nodes.length });
  const showPrevious = () =>
    onTurn({
      cursor: { last: PAGE_SIZE, before: startCursor },
      offset: Math.max(0, offset - PAGE_SIZE),
    });
  if (nodes.length === 0 && !hasPreviousPage) return null;
  const range = `${NUMBER.format(offset + 1)}–${NUMBER.format(offset + nodes.length)}`;
  return (
    <footer className="pager">
      <p>
        {isBusy
          ? 'Turning…'
          : `${range} of ${totalCount === null ? 'many' : NUMBER.format(totalCount)}`}
      </p>
      <button
        type="button"
        className="quiet"
        disabled={!hasPreviousPage || isBusy}
        onClick={showPrevious}
      >
        Previous
      </button>
      <button type="button" className="quiet" disabled={!hasNextPage || isBusy} onClick={showNext}>
        Next
      </button>
    </footer>
  );
}

const NUMBER = new Intl.NumberFormat('en');

interface PagerProps {
  readonly page: ContactPageFragment;
  readonly offset: number;
  readonly isBusy: boolean;
  onTurn(turn: Turn): void;
}
