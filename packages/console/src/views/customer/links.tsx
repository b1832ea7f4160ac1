import { useState } from 'preact/hooks';
import { Empty, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { Change, FormChange, SecretOnce } from '../../parts/change.tsx';
import { RECORD_TITLES, RECORDS, toList, toProvider, toWords } from '../../parts/names.ts';
import { Table } from '../../parts/table.tsx';
import { same } from '../../same.ts';
import { useConsole } from '../../state.tsx';
import { type OfCustomer, toPath, useHistory, type WithConnections } from './of-customer.ts';

export function Links({ connections, ...own }: WithConnections) {
  const { api } = useConsole();
  const { applicationId, customerId } = own;
  const history = useHistory(own);
  const [url, setUrl] = useState<string>();
  const path = toPath(customerId, '/connect_links');
  return (
    <Section
      id="links"
      title="Links"
      actions={
        <>
          {connections.length === 0 ? null : (
            <FormChange
              text="Create mapping link"
              title="Create a mapping link"
              submit="Create"
              isPlain
              fields={<MappingLinkFields applicationId={applicationId} connections={connections} />}
              run={async (form) => {
                const provider = String(form.get('provider'));
                const returnUrl = String(form.get('return_url'));
                const made = await api.of<{ url: string }>(
                  applicationId,
                  'POST',
                  toPath(customerId, `/connections/${provider}/mapping_links`),
                  { body: { return_url: returnUrl } },
                );
                setUrl(made.url);
                history.reload();
                return {
                  text: `A mapping link for ${customerId} was created.`,
                  same: same.createMappingLink({
                    application: applicationId,
                    customerId,
                    provider,
                    returnUrl,
                  }),
                };
              }}
            />
          )}
          <FormChange
            text="Create connect link"
            title="Create a connect link"
            submit="Create"
            fields={<LinkFields applicationId={applicationId} />}
            run={async (form) => {
              const input = {
                providers: form.getAll('provider').map(String),
                records: form.getAll('record').map(String),
                access: String(form.get('access')),
              };
              const returnUrl = String(form.get('return_url'));
              const body = { ...input, return_url: returnUrl };
              const made = await api.of<{ url: string }>(applicationId, 'POST', path, { body });
              setUrl(made.url);
              history.reload();
              return {
                text: `A connect link for ${customerId} was created.`,
                same: same.createConnectLink({ customerId, ...input, returnUrl }),
              };
            }}
          />
        </>
      }
    >
      {url ? (
        <SecretOnce
          title="Send this link to the customer"
          secret={url}
          close="Close"
          onClose={() => setUrl(undefined)}
        >
          It is shown only now, and is valid for 15 minutes.
        </SecretOnce>
      ) : null}
      <Show of={history}>
        {({ links }) => (
          <Table
            label="Links"
            rows={links}
            empty={
              <Empty title="No links yet">
                A customer connects a CRM with a connect link, and matches custom fields with a
                mapping link.
              </Empty>
            }
            keyOf={({ id }) => id}
            columns={[
              { title: 'Created', cell: (link) => <Time at={link.created_at} /> },
              { title: 'Purpose', cell: ({ purpose }) => PURPOSES[purpose] ?? toWords(purpose) },
              { title: 'CRMs', cell: ({ providers }) => toList(providers.map(toProvider)) },
              {
                title: 'Status',
                cell: ({ status, failure }) => <Status value={status} note={failure} />,
              },
              { title: 'Valid until', cell: (link) => <Time at={link.expires_at} /> },
              { title: 'ID', cell: ({ id }) => <code>{id}</code> },
              {
                title: 'Actions',
                cell: ({ id, status }) =>
                  OPEN.includes(status) ? (
                    <Change
                      text="Cancel"
                      question={
                        <p>The customer can no longer use the link. This cannot be undone.</p>
                      }
                      confirm="Cancel the link"
                      dismiss="Keep it"
                      run={async () => {
                        await api.of(applicationId, 'DELETE', `${path}/${id}`);
                        history.reload();
                        return { text: 'The link was canceled.', same: same.cancelConnectLink(id) };
                      }}
                    />
                  ) : null,
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

const PURPOSES: Readonly<Record<string, string>> = {
  connect: 'Connect',
  map_fields: 'Match fields',
};

/** The statuses of links that can still be used. */
const OPEN = ['pending', 'started', 'awaiting_confirmation'];

function LinkFields({ applicationId }: { readonly applicationId: string }) {
  const { providers } = useConsole();
  return (
    <>
      <fieldset>
        <legend>CRMs that the customer can choose from</legend>
        {providers
          .filter(({ can_connect: can }) => can)
          .map(({ name, title }, index) => (
            <label key={name} class="check">
              <input type="checkbox" name="provider" value={name} defaultChecked={index === 0} />
              {title}
            </label>
          ))}
      </fieldset>
      <fieldset>
        <legend>Records to request access to</legend>
        {RECORDS.map((record, index) => (
          <label key={record} class="check">
            <input type="checkbox" name="record" value={record} defaultChecked={index === 0} />
            {RECORD_TITLES[record]}
          </label>
        ))}
      </fieldset>
      <label>
        Access
        <select name="access">
          <option value="read">Read</option>
          <option value="read_write">Read and write</option>
        </select>
      </label>
      <ReturnUrl applicationId={applicationId} />
    </>
  );
}

/** For the page on which a customer matches the application's custom fields with those of the CRM. */
function MappingLinkFields({ applicationId, connections }: MappingLinkProps) {
  return (
    <>
      <label>
        CRM
        <select name="provider">
          {connections.map(({ provider_name: provider }) => (
            <option key={provider} value={provider}>
              {toProvider(provider)}
            </option>
          ))}
        </select>
      </label>
      <ReturnUrl applicationId={applicationId} />
    </>
  );
}

type MappingLinkProps = Pick<WithConnections, 'applicationId' | 'connections'>;

function ReturnUrl({ applicationId }: Pick<OfCustomer, 'applicationId'>) {
  const { applications } = useConsole();
  const [origin] = applications.find(({ id }) => id === applicationId)?.origins ?? [];
  return (
    <label>
      URL to return to, at an origin of the application
      <input
        name="return_url"
        type="url"
        required
        defaultValue={origin ? `${origin}/` : ''}
        placeholder="https://app.example/connected"
      />
    </label>
  );
}
