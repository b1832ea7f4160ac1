import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api.ts';
import { toHref } from '../router.ts';
import { type Loaded, useConsole } from '../state.tsx';
import type { Application } from '../types.ts';
import { toWords } from './names.ts';

/** A link within the console. A click with a modifier opens a tab, as for any link. */
export function Link({ href, children, ...rest }: LinkProps) {
  const { navigate } = useConsole();
  return (
    <a
      href={href}
      {...rest}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}

interface LinkProps {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | undefined;
}

/** A moment in the reader's time zone, with the year if it is another one; the exact one is its title. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span class="soft">Never</span>;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {moment.toLocaleString([], {
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        ...(moment.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
      })}
    </time>
  );
}

/** How long ago it was, or how long it takes until then. `past`: the text for any time in the past. */
export function Ago({ at, past }: { readonly at: string | null | undefined; past?: string }) {
  if (!at) return <span class="soft">Never</span>;
  const ms = Date.parse(at) - (performance.timeOrigin + performance.now());
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ms < 0 && past !== undefined ? past : toDistance(ms)}
    </time>
  );
}

export function toDistance(ms: number): string {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  const size = Math.abs(ms);
  const [unit, length] = UNITS.find(([, one]) => size >= one) ?? (['second', 1_000] as const);
  return format.format(Math.round(ms / length), unit);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A status with its colour; the word alone says it, too. `of`: what has it, in place of the word where all is well. */
export function Status({ value, note, of }: StatusProps) {
  const tone = TONES[value] ?? 'plain';
  return (
    <span class={`status ${tone}`}>
      {of}
      {of === undefined || tone !== 'good' ? (
        <span class={of === undefined ? undefined : 'status-note'}>
          {of === undefined ? '' : ': '}
          {toWords(value)}
        </span>
      ) : (
        <span class="unseen">: {toWords(value)}</span>
      )}
      {note && note !== value ? (
        <span class="status-note"> · {NAME.test(note) ? toWords(note) : note}</span>
      ) : null}
    </span>
  );
}

/** A name of the API, and not a text. */
const NAME = /^[a-z]+(?:_[a-z]+)*$/i;

interface StatusProps {
  readonly value: string;
  readonly note?: string | null | undefined;
  readonly of?: string;
}

const TONES: Readonly<Record<string, string>> = {
  connected: 'good',
  ok: 'good',
  idle: 'good',
  active: 'good',
  completed: 'good',
  enabled: 'good',
  running: 'busy',
  pending: 'busy',
  started: 'busy',
  awaiting_confirmation: 'busy',
  ending: 'warn',
  warning: 'warn',
  paused: 'warn',
  expired: 'warn',
  canceled: 'plain',
  revoked: 'plain',
  reauthorize: 'bad',
  failed: 'bad',
  failing: 'bad',
  disabled: 'bad',
  unauthorized: 'warn',
};

/** Why something could not be shown or done: what happened, its id, and where to read on. */
export function Problem({ error, onRetry }: { readonly error: unknown; onRetry?: () => void }) {
  const known = error instanceof ApiError ? error : undefined;
  const text = error instanceof Error ? error.message : 'Something went wrong.';
  return (
    <div class="problem" role="alert">
      <p>
        <b>{known ? toWords(known.code) : 'Error'}.</b> {text}
      </p>
      <p class="small soft">
        {known?.id ? (
          <>
            Error ID <code>{known.id}</code> ·{' '}
          </>
        ) : null}
        {known ? <Link href={toHref(['guide', known.code])}>What this error means</Link> : null}
        {onRetry ? (
          <>
            {' '}
            <button type="button" class="plain small" onClick={onRetry}>
              Try again
            </button>
          </>
        ) : null}
      </p>
    </div>
  );
}

/** What was loaded, or why it was not. What was loaded before stays visible while it is loaded again. */
export function Show<Data>({
  of,
  children,
}: {
  readonly of: Loaded<Data>;
  children: (data: Data) => ComponentChildren;
}) {
  if (of.error && !of.isLoading) return <Problem error={of.error} onRetry={of.reload} />;
  if (of.data === undefined)
    return (
      <p class="soft loading" role="status">
        Loading…
      </p>
    );
  return <>{children(of.data)}</>;
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p>
        <b>{title}</b>
      </p>
      {children ? <div class="soft">{children}</div> : null}
    </div>
  );
}

export function Section({ title, actions, children, id }: SectionProps) {
  return (
    <section class="section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions ? <div class="actions">{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}

interface SectionProps {
  readonly title: string;
  readonly id: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A text with a button that copies it. */
export function Copied({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="copied">
      <pre>{text}</pre>
      <button
        type="button"
        class="plain small"
        onClick={async () => {
          // Browsers have no clipboard without https, except on this machine.
          await navigator.clipboard?.writeText(text);
          setCopied(navigator.clipboard !== undefined);
          setTimeout(() => setCopied(false), 1_500);
        }}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

/** Views of one thing, of which the address selects one. */
export function Tabs({ label, tabs }: TabsProps) {
  const { address } = useConsole();
  const selected = tabs.find(({ value }) => value === address.filters['tab']) ?? tabs[0];
  return (
    <>
      <Choices label={label} name="tab" options={tabs} isView />
      {selected?.show()}
    </>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly {
    readonly value: string;
    readonly text: string;
    show(): ComponentChildren;
  }[];
}

/** Selects an application, by its name. `all`: the text for no selection, which says what is selected, too. */
export function ApplicationSelect({ value, all, onSelect }: ApplicationSelectProps) {
  const { applications } = useConsole();
  return (
    <label>
      <span class={all === undefined ? undefined : 'unseen'}>Application</span>
      <select value={value} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
        {all === undefined ? null : <option value="">{all}</option>}
        {applications.filter(isKept).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ApplicationSelectProps {
  readonly value: string;
  readonly all?: string;
  onSelect(id: string): void;
}

/** Whether an application is not being deleted. */
export const isKept = (application: Application): boolean => application.deleted_at === undefined;

/** A number in a tile. */
export function Amount({ of, value, note, isBad = false }: AmountProps) {
  return (
    <div class={isBad ? 'bad' : undefined}>
      <dt>{of}</dt>
      <dd>
        {value}
        {note ? <span class="soft small"> {note}</span> : null}
      </dd>
    </div>
  );
}

interface AmountProps {
  readonly of: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly isBad?: boolean;
}

/** Choices of which one is selected, each an address of its own. */
export function Choices({ label, name, options, isView, ...rest }: ChoicesProps) {
  const { address } = useConsole();
  const { fallback = options[0]?.value } = rest;
  const selected = address.filters[name] ?? fallback;
  return (
    <nav class="choices" aria-label={label}>
      {options.map(({ value, text }) => (
        <Link
          key={value}
          href={toHref(address.path, {
            ...(isView ? {} : address.filters),
            [name]: value === fallback ? undefined : value,
          })}
          aria-current={value === selected ? 'page' : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

interface ChoicesProps {
  readonly label: string;
  readonly name: string;
  /** The one that an address without the filter means. Default: the first. */
  readonly fallback?: string | undefined;
  /** Each is a view of its own: the other filters of the address belong to the one that is shown. */
  readonly isView?: boolean;
  readonly options: readonly { readonly value: string; readonly text: string }[];
}
