import { useCallback, useEffect, useMemo, useState } from 'react';
import { Provider } from 'urql';
import { backend, type Session } from './backend.ts';
import { createCrossbookClient } from './create-crossbook-client.ts';
import { finishConnecting } from './finish-connecting.ts';
import { SignInPage } from './sign-in-page.tsx';
import { Workspace } from './workspace.tsx';

export function App() {
  // Undefined: not loaded yet.
  const [session, setSession] = useState<Session | null>();
  const [problem, setProblem] = useState('');

  const load = useCallback(() => {
    setSession(undefined);
    finishConnecting()
      .then(backend.readSession)
      .then(setSession)
      .catch((error: Error) => setProblem(error.message));
  }, []);
  useEffect(load, [load]);

  if (problem) return <p role="alert">{problem}</p>;
  if (session === undefined) return null;
  if (session === null) return <SignInPage onSignedIn={load} />;
  return <SignedIn key={session.customerId} session={session} onSignedOut={load} />;
}

function SignedIn({ session, onSignedOut }: SignedInProps) {
  const client = useMemo(() => createCrossbookClient(session.crossbookUrl), [session]);
  return (
    <Provider value={client}>
      <Workspace
        customerId={session.customerId}
        onSignOut={() => backend.signOut().then(onSignedOut)}
      />
    </Provider>
  );
}

interface SignedInProps {
  readonly session: Session;
  onSignedOut(): void;
}
