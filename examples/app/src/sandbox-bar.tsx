import { useEffect, useState } from 'react';
import { backend, type Sandbox } from './backend.ts';
import { CRMS } from './crms.ts';

/** Takes a simulated CRM down, to show the effect on its column. Your product has no such bar. */
export function SandboxBar({ onChange }: SandboxBarProps) {
  const [sandbox, setSandbox] = useState<Sandbox>();
  useEffect(() => {
    void backend.readSandbox().then(setSandbox);
  }, []);
  return (
    <aside className="sandbox" aria-label="Sandbox">
      <p>Sandbox</p>
      {sandbox &&
        CRMS.map(({ provider, title }) => {
          const isDown = sandbox.down.includes(provider);
          const change = () =>
            backend.setDown(provider, !isDown).then((changed) => {
              setSandbox(changed);
              onChange();
            });
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
        })}
    </aside>
  );
}

interface SandboxBarProps {
  onChange(): void;
}
