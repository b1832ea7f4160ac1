import { useEffect, useState } from 'react';
import { backend, type SignIn } from './backend.ts';
import { Brand } from './brand.tsx';

/** Signs in without a password: replace it by your product's own page. */
export function SignInPage({ onSignedIn }: SignInPageProps) {
  const [customers, setCustomers] = useState<readonly SignIn[]>([]);
  useEffect(() => {
    void backend.listCustomers().then(setCustomers);
  }, []);
  return (
    <main className="sign-in">
      <Brand />
      <h1>Your contacts, whichever CRM they are in</h1>
      <p className="lead">
        This is an example of a product that is built on Crossbook. Sign in as one of its customers.
      </p>
      <ul>
        {customers.map(({ customerId, name, hint }) => (
          <li key={customerId}>
            <button
              type="button"
              className="card"
              onClick={() => backend.signIn(customerId).then(onSignedIn)}
            >
              <strong>{name}</strong>
              <span>{hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}

interface SignInPageProps {
  onSignedIn(): void;
}
