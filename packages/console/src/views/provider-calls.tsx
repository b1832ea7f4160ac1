import { Empty } from '../parts/basics.tsx';
import { toProvider } from '../parts/names.ts';
import { Table } from '../parts/table.tsx';
import { pick } from '../usage.ts';

/** How many calls there were to each CRM, and how close they came to rate limits: ours and the CRM's own. */
export function ProviderCalls({ sums }: { readonly sums: ReadonlyMap<string, number> }) {
  // Minutes are counted under the same name.
  const rows = pick(sums, 'calls').filter(([name]) => !/^\d+$/.test(name));
  const of = (kind: string, name: string) => sums.get(`${kind} ${name}`) ?? 0;
  return (
    <Table
      label="Calls by CRM"
      rows={rows}
      empty={<Empty title="No calls" />}
      keyOf={([name]) => name}
      columns={[
        { title: 'CRM', cell: ([name]) => toProvider(name) },
        { title: 'Calls', isNumber: true, cell: ([, count]) => count.toLocaleString() },
        {
          title: 'Failed',
          isNumber: true,
          cell: ([name]) => of('failed', name).toLocaleString(),
        },
        {
          title: 'Rate limited',
          isNumber: true,
          cell: ([name]) => of('limited', name).toLocaleString(),
        },
        {
          title: 'Waited',
          isNumber: true,
          cell: ([name]) => `${(of('wait', name) / 1_000).toFixed(1)} s`,
        },
      ]}
    />
  );
}
