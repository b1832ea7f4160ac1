import { useState } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { Empty, Problem, Section, Status, Time } from '../../parts/basics.tsx';
import { useChange } from '../../parts/change.tsx';
import { RECORD_NOUNS, RECORDS, type RecordType, toList, toProvider } from '../../parts/names.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { toHref } from '../../router.ts';
import { useConsole } from '../../state.tsx';
import type { Page } from '../../types.ts';
import type { WithConnections } from './of-customer.ts';

/** Looks up a record in one of the customer's CRMs. The address has what is looked up by, and never a value. */
export function LookUp({ applicationId, customerId, connections }: WithConnections) {
  const { api } = useConsole();
  const target = useTarget(connections);
  const { provider, record, by } = target;
  const [found, setFound] = useState<Found>();
  const lookUp = useChange(async (value: string) => {
    setFound(undefined);
    const headers = {
      // `fetch` takes each character of a header as a byte, and the server reads UTF-8.
      'x-customer-id': String.fromCharCode(...new TextEncoder().encode(customerId)),
      'x-provider-name': provider,
    };
    const { path } = KINDS[record];
    if (by !== ID.by) {
      const body = { filter: { [by]: value } };
      const searched = { body, headers };
      const page = await api.of<Page<Item>>(applicationId, 'POST', `${path}/_search`, searched);
      setFound({ record, items: page.records, isWhole: page.pagination.next === null });
      return undefined;
    }
    const one = `${path}/${encodeURIComponent(value)}`;
    const items = await api.of<Item>(applicationId, 'GET', one, { headers }).then(
      (item) => [item],
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      },
    );
    setFound({ record, items, isWhole: true });
    return undefined;
  });
  if (connections.length === 0)
    return <Empty title="No connections">Records are looked up in a connected CRM.</Empty>;
  return (
    <Section id="look-up" title="Look up a record">
      <p class="soft">Each look-up is recorded in the audit log. What you enter is not stored.</p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void lookUp.run(String(new FormData(event.currentTarget).get('value')).trim());
        }}
      >
        <Target {...target} connections={connections} />
        <label class="grow" key={by}>
          {target.input.text}
          <input name="value" inputMode={target.input.mode} required autoComplete="off" />
        </label>
        <button type="submit" disabled={lookUp.isRunning}>
          Look up
        </button>
      </form>
      {lookUp.error ? <Problem error={lookUp.error} /> : null}
      {found ? <Records {...found} /> : null}
    </Section>
  );
}

/** Where to look, for what and by what: what the address says, as far as the CRM supports it. */
function useTarget(connections: WithConnections['connections']) {
  const { address, providers } = useConsole();
  const { filters } = address;
  const provider =
    connections.find(({ provider_name: name }) => name === filters['provider'])?.provider_name ??
    connections[0]?.provider_name ??
    '';
  const readable = providers.find(({ name }) => name === provider)?.records ?? [];
  const records = RECORDS.filter((one) => readable.some(({ type }) => type === one));
  const record = records.find((one) => one === filters['record']) ?? RECORDS[0];
  const searched = readable.find(({ type }) => type === record)?.filters ?? [];
  const inputs = [...KINDS[record].inputs.filter(({ by }) => searched.includes(by)), ID];
  const input = inputs.find(({ by }) => by === filters['by']) ?? inputs[0] ?? ID;
  return { provider, records, record, inputs, input, by: input.by };
}

function Target({ connections, provider, records, record, inputs, by }: TargetProps) {
  const { address, navigate } = useConsole();
  const select = (name: string) => (event: { readonly currentTarget: HTMLSelectElement }) =>
    navigate(toHref(address.path, { ...address.filters, [name]: event.currentTarget.value }), {
      replace: true,
    });
  return (
    <>
      <label>
        CRM
        <select value={provider} onChange={select('provider')}>
          {connections.map(({ provider_name: name }) => (
            <option key={name} value={name}>
              {toProvider(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Record
        <select value={record} onChange={select('record')}>
          {records.map((one) => (
            <option key={one} value={one}>
              {RECORD_NOUNS[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        By
        <select value={by} onChange={select('by')}>
          {inputs.map((one) => (
            <option key={one.by} value={one.by}>
              {one.text}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

type TargetProps = ReturnType<typeof useTarget> & Pick<WithConnections, 'connections'>;

function Records({ record, items, isWhole }: Found) {
  const noun = RECORD_NOUNS[record].toLowerCase();
  return (
    <>
      <Table<Item>
        label="Records that were found"
        rows={items}
        empty={<Empty title={`The CRM has no such ${noun}`} />}
        keyOf={({ id }) => id}
        columns={[
          ...KINDS[record].columns,
          { title: 'Modified', cell: (one) => <Time at={one.last_modified_at} /> },
          { title: 'ID', cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      {isWhole ? null : <p class="soft small">There are more. These are the first ones.</p>}
    </>
  );
}

/** By what a record can be looked up. `by`: the condition of a search. */
interface Input {
  readonly by: string;
  readonly text: string;
  readonly mode: 'text' | 'email' | 'url';
}

const ID: Input = { by: 'id', text: 'ID in the CRM', mode: 'text' };
const NAME: Input = { by: 'name_prefix', text: 'Start of a name', mode: 'text' };
const PHONES: Column<Item> = {
  title: 'Phone numbers',
  cell: (one) => toList((one.phone_numbers ?? []).map((phone) => phone.phone_number)),
};

const KINDS: Readonly<Record<RecordType, Kind>> = {
  contact: {
    path: '/contacts',
    inputs: [{ by: 'email', text: 'Email address', mode: 'email' }, NAME],
    columns: [
      {
        title: 'Name',
        cell: (one) => [one.first_name, one.last_name].filter(Boolean).join(' '),
      },
      {
        title: 'Email addresses',
        cell: (one) => toList((one.email_addresses ?? []).map((email) => email.email_address)),
      },
      PHONES,
    ],
  },
  company: {
    path: '/companies',
    inputs: [{ by: 'domain', text: 'Domain', mode: 'url' }, NAME],
    columns: [
      { title: 'Name', cell: ({ name }) => name ?? '' },
      { title: 'Domain', cell: ({ domain }) => domain ?? '' },
      PHONES,
    ],
  },
  deal: {
    path: '/deals',
    inputs: [],
    columns: [
      { title: 'Name', cell: ({ name }) => name ?? '' },
      { title: 'Stage', cell: ({ stage }) => stage?.label ?? '' },
      { title: 'Status', cell: ({ status }) => (status ? <Status value={status} /> : '') },
      {
        title: 'Amount',
        cell: ({ amount }) => [amount?.value, amount?.currency].filter(Boolean).join(' '),
      },
    ],
  },
};

interface Kind {
  /** Of its operations in the REST API. */
  readonly path: string;
  readonly inputs: readonly Input[];
  readonly columns: readonly Column<Item>[];
}

interface Found {
  readonly record: RecordType;
  readonly items: readonly Item[];
  /** Whether there are no more. */
  readonly isWhole: boolean;
}

/** A record of any type, as far as it is shown. */
interface Item {
  readonly id: string;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly email_addresses?: readonly { readonly email_address: string }[];
  readonly phone_numbers?: readonly { readonly phone_number: string }[];
  readonly name?: string | null;
  readonly domain?: string | null;
  readonly stage?: { readonly label?: string | null } | null;
  readonly status?: string | null;
  readonly amount?: { readonly value: string; readonly currency?: string | null } | null;
  readonly last_modified_at?: string | null;
}
