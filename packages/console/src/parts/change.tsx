import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Done, useConsole } from '../state.tsx';
import { Copied, Problem } from './basics.tsx';

/** Runs a change: while it runs, what went wrong, and a notice of what was done. `run` resolves with whether it was. */
export function useChange<Given extends unknown[]>(
  change: (...given: Given) => Promise<Done | undefined>,
): RunnableChange<Given> {
  const { notify } = useConsole();
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>(AT_REST);
  return {
    ...state,
    async run(...given) {
      setState({ isRunning: true });
      try {
        const done = await change(...given);
        setState(AT_REST);
        if (done) notify(done);
        return true;
      } catch (error) {
        setState({ isRunning: false, error });
        return false;
      }
    },
  };
}

const AT_REST = { isRunning: false };

interface RunnableChange<Given extends unknown[]> {
  readonly isRunning: boolean;
  readonly error?: unknown;
  run(...given: Given): Promise<boolean>;
}

/**
 * A button that changes something. What cannot be undone asks first, and may require a word to be typed. Afterwards a
 * notice says what happened.
 */
export function Change({ text, question, confirm, dismiss, typed, run, isDanger }: ChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const change = useChange(run);
  const go = async () => setOpen(!(await change.run()));
  return (
    <>
      <button
        type="button"
        class={isDanger ? 'plain danger' : 'plain'}
        disabled={change.isRunning}
        onClick={() => (question ? setOpen(true) : void go())}
      >
        {text}
      </button>
      {isOpen ? (
        <Dialog title={text} onClose={() => setOpen(false)}>
          {question}
          {change.error ? <Problem error={change.error} /> : null}
          <Confirmation
            text={confirm ?? text}
            dismiss={dismiss}
            typed={typed}
            isDanger={isDanger}
            isRunning={change.isRunning}
            onConfirm={go}
            onCancel={() => setOpen(false)}
          />
        </Dialog>
      ) : null}
    </>
  );
}

function Confirmation({
  text,
  dismiss = 'Cancel',
  typed,
  isDanger,
  isRunning,
  onConfirm,
  onCancel,
}: ConfirmationProps) {
  const [word, setWord] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm();
      }}
    >
      {typed === undefined ? null : (
        <label>
          Type <b>{typed}</b> to confirm
          <input
            value={word}
            onInput={(event) => setWord(event.currentTarget.value)}
            autoComplete="off"
          />
        </label>
      )}
      <div class="actions end">
        <button type="button" class="plain" onClick={onCancel}>
          {dismiss}
        </button>
        <button
          type="submit"
          class={isDanger ? 'danger' : undefined}
          disabled={isRunning || (typed !== undefined && word !== typed)}
        >
          {text}
        </button>
      </div>
    </form>
  );
}

interface ConfirmationProps {
  readonly text: string;
  readonly dismiss: string | undefined;
  readonly typed: string | undefined;
  readonly isDanger: boolean | undefined;
  readonly isRunning: boolean;
  onConfirm(): void;
  onCancel(): void;
}

/** A modal dialog. Escape closes it. However it is closed, the focus returns to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { activeElement } = document;
    dialog.current?.showModal();
    return () => {
      if (activeElement instanceof HTMLElement) activeElement.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

/** Fields in a dialog, and what to do with them. */
export function FormChange({ text, title, fields, submit, isPlain, run }: FormChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const change = useChange(run);
  return (
    <>
      <button type="button" class={isPlain ? 'plain' : undefined} onClick={() => setOpen(true)}>
        {text}
      </button>
      {isOpen ? (
        <Dialog title={title} onClose={() => setOpen(false)}>
          <form
            onSubmit={async (event) => {
              event.preventDefault();
              setOpen(!(await change.run(new FormData(event.currentTarget))));
            }}
          >
            {fields}
            {change.error ? <Problem error={change.error} /> : null}
            <div class="actions end">
              <button type="button" class="plain" onClick={() => setOpen(false)}>
                Cancel
              </button>
              <button type="submit" disabled={change.isRunning}>
                {submit}
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
    </>
  );
}

interface FormChangeProps {
  readonly text: string;
  readonly title: string;
  readonly fields: ComponentChildren;
  readonly submit: string;
  /** Whether another button is the more important one. */
  readonly isPlain?: boolean;
  run(form: FormData): Promise<Done | undefined>;
}

/** A secret that was just created. Only this page has it, until the dialog is closed. */
export function SecretOnce({
  secret,
  close = 'I have stored it',
  children,
  ...dialog
}: SecretProps) {
  return (
    <Dialog {...dialog}>
      <p>{children}</p>
      <Copied text={secret} />
      <div class="actions end">
        <button type="button" onClick={dialog.onClose}>
          {close}
        </button>
      </div>
    </Dialog>
  );
}

/** Something to read, without a change. */
export function InfoDialog({ children, ...dialog }: DialogProps) {
  return (
    <Dialog {...dialog}>
      {children}
      <div class="actions end">
        <button type="button" onClick={dialog.onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface SecretProps extends DialogProps {
  readonly secret: string;
  /** The text of the button that closes it. */
  readonly close?: string;
}

interface DialogProps {
  readonly title: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

interface ChangeProps {
  readonly text: string;
  /** What happens, if it cannot be undone. Absent: it is done at once. */
  readonly question?: ComponentChildren;
  readonly confirm?: string;
  /** The text of the button that changes nothing. */
  readonly dismiss?: string;
  /** What has to be typed. */
  readonly typed?: string;
  readonly isDanger?: boolean;
  run(): Promise<Done | undefined>;
}
