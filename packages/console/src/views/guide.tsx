import { BASE, readErrorCodes } from '../api.ts';
import { Link, Show } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { useLoad } from '../state.tsx';

/** What the error codes mean. */
export function Guide({ code }: { readonly code: string | undefined }) {
  const codes = useLoad('codes', readErrorCodes);
  return (
    <>
      <h1>{code ?? 'Error codes'}</h1>
      <Show of={codes}>
        {(all) => {
          const one = code === undefined ? undefined : all[code];
          if (code !== undefined && one === undefined)
            return <p>There is no error code of this name.</p>;
          if (one)
            return (
              <>
                <p>
                  HTTP {one.status}: {one.title}
                </p>
                <p>{one.when}</p>
                <p>
                  An error’s id is in the log of the server, in the line of its request.{' '}
                  <a href={`${BASE}/guides/troubleshooting#error-codes`}>
                    What to do about each code
                  </a>
                </p>
                <p>
                  <Link href={toHref(['guide'])}>All error codes</Link>
                </p>
              </>
            );
          return (
            <Table
              label="Error codes"
              rows={Object.entries(all)}
              keyOf={([name]) => name}
              columns={[
                { title: 'Code', cell: ([name]) => <code>{name}</code> },
                { title: 'HTTP', isNumber: true, cell: ([, { status }]) => status },
                { title: 'Meaning', cell: ([, { when }]) => when },
              ]}
            />
          );
        }}
      </Show>
    </>
  );
}
