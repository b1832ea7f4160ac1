import './style.css';
import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, BASE, createApi, readSession, type SessionFacts, signIn } from './api.ts';
import { Copied, Link, Problem } from './parts/basics.tsx';
import { setProviderTitles } from './parts/names.ts';
import { readAddress, setBase, toHref } from './router.ts';
import { type Console, ConsoleContext, type Done } from './state.tsx';
import type { Application } from './types.ts';
import { ApplicationView } from './views/application.tsx';
import { Applications } from './views/applications.tsx';
import { Audit } from './views/audit.tsx';
import { CustomerView } from './views/customer.tsx';
import { Customers } from './views/customers.tsx';
import { Guide } from './views/guide.tsx';
import { Overview } from './views/overview.tsx';

setBase(BASE);

function Root() {
  const [facts, setFacts] = useState<SessionFacts>();
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>();
  const begin = useCallback((found: SessionFacts) => {
    const titles = (found.providers ?? []).map(({ name, title }) => [name, title]);
    setProviderTitles(Object.fromEntries(titles));
    setFacts(found);
  }, []);
  useEffect(() => {
    start().then(begin, setError);
  }, [begin]);
  const onEnd = useCallback((why: string) => {
    setReason(why);
    setFacts({ session: null });
  }, []);
  if (error)
    return (
      <main>
        <h1>The console cannot be opened</h1>
        <p class="problem" role="alert">
          {error instanceof Error ? error.message : 'Something went wrong.'}
        </p>
      </main>
    );
  if (!facts) return <p class="unseen">Loading…</p>;
  if (!facts.session) return <SignIn reason={reason} onDone={begin} />;
  return <SignedIn key={facts.session.csrf_token} facts={facts} onEnd={onEnd} />;
}

/** The demo prints an address with its key in the fragment, which no server sees. It is removed from the address. */
async function start(): Promise<SessionFacts> {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return readSession();
  history.replaceState(null, '', location.pathname + location.search);
  return signIn(key).catch(() => readSession());
}

function SignIn({
  reason,
  onDone,
}: {
  readonly reason: string;
  onDone(facts: SessionFacts): void;
}) {
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Crossbook console';
    field.current?.focus();
  }, []);
  return (
    <main class="sign-in">
      <h1>Crossbook console</h1>
      {reason ? <p role="status">{reason}</p> : null}
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          setRunning(true);
          setError(undefined);
          try {
            onDone(await signIn(field.current?.value.trim() ?? ''));
          } catch (thrown) {
            setError(thrown);
          } finally {
            setRunning(false);
          }
        }}
      >
        <label>
          Admin key
          <input
            ref={field}
            type="password"
            name="key"
            autoComplete="current-password"
            placeholder="cba_…"
            required
          />
        </label>
        {error ? (
          <p class="error" role="alert">
            {error instanceof ApiError ? error.message : 'Signing in failed.'}
          </p>
        ) : null}
        <button type="submit" disabled={isRunning}>
          Sign in
        </button>
      </form>
      <p class="soft small">
        <code>crossbook keys admin</code> creates an admin key. The demo prints a URL with its key
        when it starts.
      </p>
    </main>
  );
}

function SignedIn({ facts, onEnd }: { readonly facts: SessionFacts; onEnd(reason: string): void }) {
  const [address, setAddress] = useState(() => readAddress(location));
  const [applications, setApplications] = useState<readonly Application[]>();
  const [error, setError] = useState<unknown>();
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const count = useRef(0);
  const main = useRef<HTMLElement>(null);
  const api = useMemo(
    () =>
      createApi({
        csrfToken: facts.session?.csrf_token ?? '',
        prefixes: facts.prefixes ?? {},
        onEnd,
      }),
    [facts, onEnd],
  );
  const reloadApplications = useCallback(() => {
    api
      .admin<{ applications: readonly Application[] }>('GET', '/applications')
      .then(({ applications: found }) => setApplications(found), setError);
  }, [api]);
  useEffect(reloadApplications, [reloadApplications]);
  useEffect(() => {
    const onPop = () => setAddress(readAddress(location));
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const view = address.path.join('/');
  // A new view begins at its top.
  useEffect(() => {
    scrollTo(0, 0);
    document.title = `${toTitle(address.path)} · Crossbook console`;
  }, [view]);
  const addNotice = (notice: Omit<Notice, 'id'>) => {
    count.current += 1;
    const id = count.current;
    setNotices((before) => [...before.slice(-2), { ...notice, id }]);
  };
  const context: Console = {
    api,
    address,
    contacts: facts.contacts ?? false,
    providers: facts.providers ?? [],
    applications: applications ?? [],
    reloadApplications,
    navigate(href, { replace = false } = {}) {
      if (replace) history.replaceState(null, '', href);
      else history.pushState(null, '', href);
      const next = readAddress(location);
      if (next.path.join('/') !== view) main.current?.focus();
      setAddress(next);
    },
    notify: (done) => addNotice({ done }),
    fail: (thrown) => addNotice({ error: thrown }),
  };
  const [section = 'overview'] = address.path;
  return (
    <ConsoleContext.Provider value={context}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link href={toHref([])} class="home">
          Crossbook
        </Link>
        <nav aria-label="Views">
          {SECTIONS.map(({ path, title }) => (
            <Link
              key={title}
              href={toHref(path)}
              aria-current={(path[0] ?? 'overview') === section ? 'page' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <button type="button" class="plain small" onClick={() => api.signOut().catch(context.fail)}>
          Sign out
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {error ? (
          <Problem error={error} />
        ) : applications ? (
          <View path={address.path} />
        ) : (
          <p class="soft loading">Loading…</p>
        )}
      </main>
      <div class="notices" aria-live="polite">
        {notices.map(({ id, done, error: failed }) => (
          <div key={id} class="notice">
            <button
              type="button"
              class="close"
              aria-label="Close"
              onClick={() => setNotices((before) => before.filter((one) => one.id !== id))}
            >
              ×
            </button>
            {failed ? <Problem error={failed} /> : <p>{done?.text}</p>}
            {done?.same ? (
              <details>
                <summary>
                  {done.same.startsWith('mutation') ? 'As a mutation' : 'As a command'}
                </summary>
                <Copied text={done.same} />
              </details>
            ) : null}
          </div>
        ))}
      </div>
      <footer class="soft small">Crossbook {facts.version}</footer>
    </ConsoleContext.Provider>
  );
}

interface Notice {
  readonly id: number;
  readonly done?: Done;
  readonly error?: unknown;
}

const SECTIONS = [
  { path: [], title: 'Overview' },
  { path: ['customers'], title: 'Customers' },
  { path: ['applications'], title: 'Applications' },
  { path: ['audit'], title: 'Audit log' },
] as const;

function View({ path: [section, first, second] }: { readonly path: readonly string[] }) {
  if (section === undefined) return <Overview />;
  if (section === 'customers' && first !== undefined && second !== undefined)
    return <CustomerView key={`${first} ${second}`} applicationId={first} customerId={second} />;
  if (section === 'customers' && first === undefined) return <Customers />;
  if (section === 'applications' && first !== undefined)
    return <ApplicationView key={first} id={first} />;
  if (section === 'applications') return <Applications />;
  if (section === 'audit') return <Audit />;
  if (section === 'guide') return <Guide code={first} />;
  return (
    <>
      <h1>This page does not exist</h1>
      <p>
        <Link href={toHref([])}>Back to the overview</Link>
      </p>
    </>
  );
}

function toTitle([section, , customer]: readonly string[]): string {
  if (customer !== undefined) return customer;
  if (section === 'guide') return 'Error codes';
  const known = SECTIONS.find(({ path: [first] }) => first === section);
  return known?.title ?? 'Not found';
}

const place = document.getElementById('console');
if (place) render(<Root />, place);
