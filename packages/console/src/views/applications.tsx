import { Empty, Link, Section, Status } from '../parts/basics.tsx';
import { FormChange } from '../parts/change.tsx';
import { Table } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { same } from '../same.ts';
import { useConsole } from '../state.tsx';

export function Applications() {
  const { api, applications, reloadApplications } = useConsole();
  return (
    <>
      <h1>Applications</h1>
      <Section
        id="applications"
        title="All applications"
        actions={
          <FormChange
            text="Create application"
            title="Create an application"
            submit="Create"
            fields={
              <label>
                Name
                <input name="name" required maxLength={200} autoComplete="off" />
              </label>
            }
            run={async (form) => {
              const name = String(form.get('name'));
              await api.admin('POST', '/applications', { name });
              reloadApplications();
              return {
                text: `The application ${name} was created.`,
                same: same.createApplication(name),
              };
            }}
          />
        }
      >
        <Table
          label="Applications"
          rows={applications}
          empty={
            <Empty title="No applications yet">
              An application has its own customers, keys and settings.
            </Empty>
          }
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: ({ id, name }) => <Link href={toHref(['applications', id])}>{name}</Link>,
            },
            { title: 'ID', cell: ({ id }) => <code>{id}</code> },
            {
              title: 'Status',
              cell: (row) =>
                row.deleted_at ? (
                  <Status value="disabled" note="being deleted" />
                ) : (
                  <Status value="active" />
                ),
            },
            {
              title: 'Customers',
              cell: (row) =>
                row.deleted_at ? null : (
                  <Link href={toHref(['customers'], { application: row.id })}>Show</Link>
                ),
            },
          ]}
        />
      </Section>
    </>
  );
}
