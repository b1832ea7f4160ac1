import { Empty, Section, Show, Time } from '../../parts/basics.tsx';
import { Change, FormChange } from '../../parts/change.tsx';
import { toProvider } from '../../parts/names.ts';
import { Table } from '../../parts/table.tsx';
import { same } from '../../same.ts';
import { useConsole, useLoad } from '../../state.tsx';

export function OAuthClients({ id }: { readonly id: string }) {
  const { api, providers } = useConsole();
  const connectable = providers.filter(({ can_connect: can }) => can);
  const loaded = useLoad(`oauth ${id}`, () =>
    api.of<{ records: readonly OAuthClient[] }>(id, 'GET', '/oauth_clients'),
  );
  return (
    <Section
      id="oauth"
      title="OAuth clients"
      actions={
        <FormChange
          text="Set OAuth client"
          title="Set an OAuth client"
          submit="Set"
          fields={
            <>
              <p class="soft">
                It replaces the previous one for the CRM. Connections that were granted to another
                client ID have to be connected again.
              </p>
              <label>
                CRM
                <select name="provider">
                  {connectable.map(({ name, title }) => (
                    <option key={name} value={name}>
                      {title}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                Client ID
                <input name="client_id" required autoComplete="off" />
              </label>
              <label>
                Client secret
                <input name="client_secret" type="password" required autoComplete="new-password" />
              </label>
            </>
          }
          run={async (form) => {
            const provider = String(form.get('provider'));
            const clientId = String(form.get('client_id')).trim();
            const secret = String(form.get('client_secret')).trim();
            const body = { client_id: clientId, client_secret: secret };
            await api.of(id, 'PUT', `/oauth_clients/${provider}`, { body });
            loaded.reload();
            return {
              text: `The OAuth client for ${toProvider(provider)} was set.`,
              same: same.setOAuthClient(id, provider, clientId),
            };
          }}
        />
      }
    >
      <Show of={loaded}>
        {({ records }) => (
          <Table<OAuthClient>
            label="OAuth clients"
            rows={records}
            empty={
              <Empty title="No OAuth clients of its own">
                Connect links use those of the installation. With a client of its own, the
                application’s customers see its name at the CRM.
              </Empty>
            }
            keyOf={(row) => row.provider_name}
            columns={[
              { title: 'CRM', cell: (row) => toProvider(row.provider_name) },
              { title: 'Client ID', cell: (row) => <code>{row.client_id}</code> },
              { title: 'Changed', cell: (row) => <Time at={row.updated_at} /> },
              {
                title: 'Actions',
                cell: ({ provider_name: provider, client_id: client }) => (
                  <Change
                    text="Delete"
                    isDanger
                    typed={client}
                    question={
                      <p>
                        Tokens that were granted to this client can no longer be refreshed, unless
                        the installation uses the same client. Its secret has to be set again.
                      </p>
                    }
                    run={async () => {
                      await api.of(id, 'DELETE', `/oauth_clients/${provider}`);
                      loaded.reload();
                      return {
                        text: `The OAuth client for ${toProvider(provider)} was deleted.`,
                        same: same.deleteOAuthClient(provider),
                      };
                    }}
                  />
                ),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

interface OAuthClient {
  readonly provider_name: string;
  readonly client_id: string;
  readonly updated_at: string;
}
