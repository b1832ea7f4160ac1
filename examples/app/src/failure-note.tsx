import type { Failure } from './read-failure.ts';

export function FailureNote({ failure, isBusy, onRetry }: FailureNoteProps) {
  return (
    <div className="failure" role="alert">
      <h3>{failure.title}</h3>
      <p>{failure.detail}</p>
      <button type="button" disabled={isBusy} onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

interface FailureNoteProps {
  readonly failure: Failure;
  readonly isBusy: boolean;
  onRetry(): void;
}
