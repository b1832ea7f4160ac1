import { toQuery } from '../../api.ts';
import { Empty, Link, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { InfoDialog } from '../../parts/change.tsx';
import { toList, toProvider } from '../../parts/names.ts';
import { usePages } from '../../parts/pages.ts';
import { LongList, Table } from '../../parts/table.tsx';
import { useConsole, useLoad, useOpened } from '../../state.tsx';
import type { Page } from '../../types.ts';
import type { OfCustomer } from './of-customer.ts';

/** What was written to the customer's CRMs, of all types of records, without values. */
export function Writes({ applicationId, customerId }: OfCustomer) {
  const { api } = useConsole();
  const opened = useOpened('write');
  const pages = usePages<Write>(`writes ${applicationId} ${customerId}`, (cursor) =>
    api.of<Page<Write>>(
      applicationId,
      'GET',
      `/writes${toQuery({ customer_id: customerId, cursor, page_size: 50 })}`,
    ),
  );
  return (
    <Section id="writes" title="Writes of the last 90 days">
      {opened.id ? (
        <WriteDialog applicationId={applicationId} id={opened.id} onClose={opened.close} />
      ) : null}
      <LongList<Write>
        label="Writes"
        pages={pages}
        empty={
          <Empty title="Nothing was written">
            Applications can write to connections that have read and write access.
          </Empty>
        }
        keyOf={({ id }) => id}
        columns={[
          { title: 'Time', cell: (write) => <Time at={write.created_at} /> },
          { title: 'CRM', isWide: true, cell: (write) => toProvider(write.provider_name ?? '') },
          {
            title: 'Operation',
            share: 1.3,
            isWide: true,
            cell: ({ operation }) => <code>{operation}</code>,
          },
          { title: 'Outcomes', cell: (write) => toOutcomes(write) },
          {
            title: 'Records',
            share: 0.8,
            cell: ({ id }) => (
              <Link class="button plain small" href={opened.hrefOf(id)}>
                Show
              </Link>
            ),
          },
        ]}
      />
    </Section>
  );
}

function WriteDialog({ applicationId, id, onClose }: WriteDialogProps) {
  const { api } = useConsole();
  const loaded = useLoad(`write ${id}`, () =>
    api.of<Write>(applicationId, 'GET', `/writes/${encodeURIComponent(id)}`),
  );
  return (
    <InfoDialog title={loaded.data?.operation ?? 'Write'} onClose={onClose}>
      <Show of={loaded}>{(write) => <WriteDetails write={write} />}</Show>
    </InfoDialog>
  );
}

interface WriteDialogProps {
  readonly applicationId: string;
  readonly id: string;
  onClose(): void;
}

function WriteDetails({ write }: { readonly write: Write }) {
  return (
    <>
      <dl class="facts">
        <dt>Write</dt>
        <dd>
          <code>{write.id}</code>
        </dd>
        <dt>Key or token</dt>
        <dd>
          <code>{write.credential_id}</code>
        </dd>
      </dl>
      <h3>Records</h3>
      <Table
        label="Records of the write"
        rows={write.results ?? []}
        empty={<p class="soft">The results are not known yet.</p>}
        keyOf={({ index }) => String(index)}
        columns={[
          { title: 'Outcome', cell: ({ outcome }) => <Status value={outcome} /> },
          { title: 'ID', cell: toId },
          { title: 'Fields', cell: ({ fields = [] }) => toList(fields) },
          {
            title: 'Problems and warnings',
            cell: ({ problems = [], warnings = [] }) =>
              [...problems, ...warnings].map(({ code, message }) => (
                <span key={`${code} ${message}`} class="second small">
                  <code>{code}</code> {message}
                </span>
              )),
          },
        ]}
      />
    </>
  );
}

function toId({ remote_id: id, link }: WriteResult) {
  if (!link) return id ? <code>{id}</code> : null;
  return <code>{toList([link.from, link.to].map((one) => `${one.record} ${one.remote_id}`))}</code>;
}

function toOutcomes({ results = [] }: Write): string {
  const counts = new Map<string, number>();
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return toList([...counts].map(([outcome, count]) => `${count} ${outcome}`));
}

interface Write {
  readonly id: string;
  readonly created_at: string;
  readonly provider_name?: string;
  readonly operation: string;
  readonly credential_id: string;
  readonly results?: readonly WriteResult[];
}

interface WriteResult {
  readonly index: number;
  readonly outcome: string;
  readonly remote_id?: string | null;
  /** Of a write of links. */
  readonly link?: { readonly from: LinkedRecord; readonly to: LinkedRecord } | null;
  /** Names, without values. */
  readonly fields?: readonly string[];
  readonly problems?: readonly WriteProblem[];
  readonly warnings?: readonly WriteProblem[];
}

interface LinkedRecord {
  readonly record: string;
  readonly remote_id: string;
}

interface WriteProblem {
  readonly code: string;
  readonly message: string;
}
