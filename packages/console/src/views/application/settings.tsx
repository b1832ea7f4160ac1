import { Empty, Section } from '../../parts/basics.tsx';
import { Change, FormChange } from '../../parts/change.tsx';
import { Table } from '../../parts/table.tsx';
import { toHref } from '../../router.ts';
import { same } from '../../same.ts';
import { useConsole } from '../../state.tsx';
import type { Application } from '../../types.ts';

/** The name of an application, its web origins, and its deletion. */
export function Settings({ application }: OfApplication) {
  const { api, reloadApplications, navigate } = useConsole();
  const { id, name } = application;
  const path = `/applications/${id}`;
  return (
    <>
      <Section
        id="application"
        title="Application"
        actions={
          <>
            <FormChange
              text="Rename"
              title={`Rename ${name}`}
              submit="Rename"
              isPlain
              fields={
                <label>
                  Name
                  <input
                    name="name"
                    required
                    maxLength={200}
                    defaultValue={name}
                    autoComplete="off"
                  />
                </label>
              }
              run={async (form) => {
                const to = String(form.get('name'));
                await api.admin('POST', `${path}/rename`, { name: to });
                reloadApplications();
                return {
                  text: `The application ${name} is now called ${to}.`,
                  same: same.renameApplication(id, to),
                };
              }}
            />
            <Change
              text="Delete application"
              isDanger
              typed={name}
              question={
                <p>
                  This deletes the application with all of its data: customers, connections, keys,
                  webhook endpoints, events and settings. Its keys are refused within five seconds,
                  and grants are revoked at the CRMs. It cannot be undone.
                </p>
              }
              run={async () => {
                await api.admin('POST', `${path}/delete`, { confirm: name });
                reloadApplications();
                navigate(toHref(['applications']));
                return {
                  text: `The application ${name} is being deleted.`,
                  same: same.deleteApplication(id, name),
                };
              }}
            />
          </>
        }
      >
        <dl class="facts">
          <dt>Name</dt>
          <dd>{name}</dd>
          <dt>ID</dt>
          <dd>
            <code>{id}</code>
          </dd>
        </dl>
      </Section>
      <Origins application={application} />
    </>
  );
}

/** The web origins whose pages may call the API, and to which links return. */
function Origins({ application: { id, origins } }: OfApplication) {
  const { api, reloadApplications } = useConsole();
  const path = `/applications/${id}/origins`;
  return (
    <Section
      id="origins"
      title="Web origins"
      actions={
        <FormChange
          text="Add origin"
          title="Add a web origin"
          submit="Add"
          fields={
            <label>
              Scheme and host
              <input name="origin" type="url" required placeholder="https://app.example" />
            </label>
          }
          run={async (form) => {
            const origin = String(form.get('origin')).trim();
            await api.admin('POST', path, { add: [origin] });
            reloadApplications();
            return { text: `The origin ${origin} was added.`, same: same.addOrigin(id, origin) };
          }}
        />
      }
    >
      <Table<string>
        label="Web origins"
        rows={origins}
        empty={
          <Empty title="No web origins">
            Pages of an origin may call the API with a customer token, and links may return to it.
          </Empty>
        }
        keyOf={(origin) => origin}
        columns={[
          { title: 'Origin', cell: (origin) => <code>{origin}</code> },
          {
            title: 'Actions',
            cell: (origin) => (
              <Change
                text="Remove"
                isDanger
                question={
                  <p>
                    Pages of {origin} can no longer call the API, and new links cannot return to
                    them.
                  </p>
                }
                run={async () => {
                  await api.admin('POST', path, { remove: [origin] });
                  reloadApplications();
                  return {
                    text: `The origin ${origin} was removed.`,
                    same: same.removeOrigin(id, origin),
                  };
                }}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}

interface OfApplication {
  readonly application: Application;
}
