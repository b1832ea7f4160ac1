import { Empty, Section, Show } from '../../parts/basics.tsx';
import { RECORD_TITLES, RECORDS, type RecordType, toProvider, toWords } from '../../parts/names.ts';
import { Table } from '../../parts/table.tsx';
import { useConsole, useLoad } from '../../state.tsx';

/** The custom fields that an application has declared, to read. */
export function CustomFields({ id }: { readonly id: string }) {
  return (
    <>
      {RECORDS.map((record) => (
        <CustomFieldsOf key={record} id={id} record={record} />
      ))}
    </>
  );
}

function CustomFieldsOf({ id, record }: { readonly id: string; readonly record: RecordType }) {
  const { api } = useConsole();
  const path = `/custom_fields/${record}`;
  const loaded = useLoad(`${id} ${path}`, () =>
    api.of<{ definitions: readonly Definition[] }>(id, 'GET', path),
  );
  const title = `Custom fields of ${RECORD_TITLES[record].toLowerCase()}`;
  return (
    <Section id={`fields-${record}`} title={title}>
      <Show of={loaded}>
        {({ definitions }) => (
          <Table<Definition>
            label={title}
            rows={definitions}
            empty={
              <Empty title="No custom fields">
                The application’s backend declares them with <code>setCustomFieldDefinitions</code>{' '}
                or <code>PUT {path}</code>.
              </Empty>
            }
            keyOf={({ name }) => name}
            columns={[
              { title: 'Name', cell: ({ name }) => <code>{name}</code> },
              { title: 'Type', cell: ({ type }) => toWords(type) },
              { title: 'Description', cell: ({ description }) => description ?? '' },
              {
                title: 'Fields of CRMs',
                cell: ({ sources = [] }) =>
                  sources.map(({ provider_name: provider, field }) => (
                    <span key={`${provider} ${field}`} class="tag">
                      {toProvider(provider)}: <code>{field}</code>
                    </span>
                  )),
              },
              {
                title: 'Customers may map it',
                cell: (one) => (one.customers_may_map ? 'Yes' : <span class="soft">No</span>),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

interface Definition {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null;
  readonly customers_may_map?: boolean;
  readonly sources?: readonly { readonly provider_name: string; readonly field: string }[];
}
