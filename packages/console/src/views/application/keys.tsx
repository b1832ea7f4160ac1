import { useState } from 'preact/hooks';
import { Empty, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { Change, FormChange, SecretOnce } from '../../parts/change.tsx';
import { Table } from '../../parts/table.tsx';
import { same } from '../../same.ts';
import { useConsole, useLoad } from '../../state.tsx';
import type { Key } from '../../types.ts';

export function Keys({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const [secret, setSecret] = useState<string>();
  const path = `/applications/${id}/keys`;
  const keys = useLoad(path, () => api.admin<{ keys: readonly Key[] }>('GET', path));
  const onSecret = (made: string) => {
    setSecret(made);
    keys.reload();
  };
  return (
    <Section
      id="keys"
      title="API keys"
      actions={
        <FormChange
          text="Create key"
          title="Create an API key"
          submit="Create"
          fields={
            <label>
              Name
              <input
                name="name"
                required
                maxLength={200}
                placeholder="backend"
                autoComplete="off"
              />
            </label>
          }
          run={async (form) => {
            const name = String(form.get('name'));
            const { key } = await api.admin<{ key: string }>('POST', path, { name });
            onSecret(key);
            return { text: `The key ${name} was created.`, same: same.createKey(id, name) };
          }}
        />
      }
    >
      {secret ? (
        <SecretOnce title="The API key" secret={secret} onClose={() => setSecret(undefined)}>
          It gives access to all customers of the application. It is shown only now, because
          Crossbook stores only its hash.
        </SecretOnce>
      ) : null}
      <Show of={keys}>
        {({ keys: found }) => (
          <Table<Key>
            label="API keys"
            rows={found}
            empty={<Empty title="No keys">A backend needs a key to call the API.</Empty>}
            keyOf={(key) => key.id}
            columns={[
              { title: 'Name', cell: ({ name }) => name },
              { title: 'ID', cell: (key) => <code>{key.id}</code> },
              { title: 'Status', cell: ({ state }) => <Status value={state} /> },
              { title: 'Created', cell: (key) => <Time at={key.created_at} /> },
              {
                title: 'Valid until',
                cell: (key) => (key.revoked_at ? <Time at={key.revoked_at} /> : 'No end'),
              },
              {
                title: 'Actions',
                cell: (key) =>
                  key.state === 'revoked' ? null : (
                    <KeyActions apiKey={key} reload={keys.reload} onSecret={onSecret} />
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

function KeyActions({ apiKey: { id, name, state }, reload, onSecret }: KeyActionsProps) {
  const { api } = useConsole();
  return (
    <span class="wrap">
      {state === 'active' ? (
        <Change
          text="Rotate"
          question={
            <p>This creates a new key with the same name. The old key stays valid for 24 hours.</p>
          }
          run={async () => {
            const { key } = await api.admin<{ key: string }>('POST', `/keys/${id}/rotate`);
            onSecret(key);
            return { text: `The key ${name} was rotated.`, same: same.rotateKey(id) };
          }}
        />
      ) : null}
      <Change
        text="Revoke"
        isDanger
        typed={name}
        question={
          <p>Requests with this key are refused within five seconds. This cannot be undone.</p>
        }
        run={async () => {
          await api.admin('POST', `/keys/${id}/revoke`);
          reload();
          return { text: `The key ${name} was revoked.`, same: same.revokeKey(id) };
        }}
      />
    </span>
  );
}

interface KeyActionsProps {
  readonly apiKey: Key;
  reload(): void;
  onSecret(secret: string): void;
}
