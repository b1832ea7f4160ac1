import { useEffect, useState } from 'react';
import { backend, type Sandbox } from './backend.ts';
import { CRMS } from './crms.ts';

/** Takes a simulated CRM down, to show the effect on its column. Your product has no such bar. */
export function SandboxBar({ onChange }: SandboxBarProps) {
  const [sandbox, setSandbox] = useState<Sandbox>();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    void backend.readSandbox().then(setSandbox);
  }, []);
  if (!sandbox || sandbox.providers.length === 0) return null;
  return (
    <aside className="sandbox" aria-label="Sandbox">
      <p>Sandbox</p>
      {CRMS.filter(({ provider }) => sandbox.providers.includes(provider)).map(
        ({ provider, title }) => {
          const isDown = sandbox.down.includes(provider);
          const change = () =>
            backend.setDown(provider, !isDown).then(
              (changed) => {
                setProblem('');
                setSandbox(changed);
                onChange();
              },
              (error: Error) => setProblem(error.message),
            );
          return (
            <button
              key={provider}
              type="button"
              role="switch"
              aria-checked={isDown}
              onClick={change}
            >
              {title} down
            </button>
          );
        },
      )}
      {problem && <p role="alert">{problem}</p>}
    </aside>
  );
}

interface SandboxBarProps {
  onChange(): void;
}
