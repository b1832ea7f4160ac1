import { type ReactNode, useEffect, useRef } from 'react';

/** A dialog at the side of the page. */
export function Drawer({ title, actions, onClose, children }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} closedby="any" aria-labelledby="drawer">
      <header>
        <h2 id="drawer">{title}</h2>
        <div className="actions">
          {actions}
          <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </header>
      {children}
    </dialog>
  );
}

interface DrawerProps {
  readonly title: string;
  readonly actions?: ReactNode;
  onClose(): void;
  readonly children: ReactNode;
}
