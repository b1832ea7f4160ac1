import { type ConnectionStatus, connectionStatus } from '../../domain/connection.ts';
import type { Customer, CustomerFilter } from '../../domain/customer.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';
import { wordsOf } from '../../domain/shape.ts';
import { createRegistry } from '../../providers/registry.ts';
import { listCustomers } from '../../usecases/find-customer.ts';
import { readStatusReason } from '../../usecases/list-providers.ts';
import {
  APPLICATION,
  type Command,
  type Invocation,
  readProvider,
  toTable,
  UsageError,
} from '../command.ts';
import { readSize, toListDeps } from '../list-deps.ts';

const FILTERS: NonNullable<Command['options']> = {
  id: { value: 'CUSTOMER', multiple: true, description: 'Only this customer. Repeatable.' },
  email: { value: 'EMAIL', description: 'Only customers with this email address.' },
  provider: { value: 'NAME', description: 'Only customers with a connection to this provider.' },
  status: {
    value: 'STATUS',
    description: `Only customers with a connection in this status (with --provider, of that connection): ${wordsOf(connectionStatus).join(', ')}`,
  },
  first: {
    value: 'NUMBER',
    description: `Customers on a page, at most ${MAX_PAGE_SIZE}. Default: ${DEFAULT_PAGE_SIZE}`,
  },
  after: {
    value: 'CURSOR',
    description: 'Cursor of the next page, as printed by the previous one.',
  },
};

const PROVIDERS = createRegistry();

/** Commands that list the customers of an application, and their connections. */
export const listCommands: readonly Command[] = [
  {
    name: 'customers list',
    summary: 'Lists the customers of an application with their connections, a page at a time.',
    operands: [APPLICATION],
    options: FILTERS,
    async run(invocation) {
      const { customers, next } = await readPage(invocation);
      const rows = customers.map(({ customerId, name, email, connections }) => [
        customerId,
        name,
        email,
        connections.map((one) => `${one.providerName}:${one.status}`).join(' '),
      ]);
      return {
        data: { customers, next },
        text: toTable(rows) || 'There are no customers.',
      };
    },
  },
  {
    name: 'connections list',
    summary: 'Lists the connections of an application’s customers, a page of customers at a time.',
    operands: [APPLICATION],
    options: FILTERS,
    async run(invocation) {
      const { customers, next, filter } = await readPage(invocation);
      const connections = customers.flatMap((customer) =>
        customer.connections.filter(
          ({ providerName, status }) =>
            (filter.provider ?? providerName) === providerName &&
            (filter.status ?? status) === status,
        ),
      );
      const rows = connections.map((one) => [
        one.customerId,
        one.providerName,
        one.status,
        one.statusReason ?? '-',
        one.statusChangedAt,
        one.account?.name ?? one.account?.id ?? one.instanceUrl ?? '',
      ]);
      return { data: { connections, next }, text: toTable(rows) || 'There are no connections.' };
    },
  },
];

/** A page of customers. How to read the next one is printed for humans in addition. */
async function readPage(invocation: Invocation) {
  const { text, note, readKeyRing, openApplication } = invocation;
  const filter = readFilter(invocation);
  const size = readSize(invocation, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE);
  const application = await openApplication();
  const page = await listCustomers(
    { ...toListDeps(application, readKeyRing()), customers: application.customers },
    {
      filter,
      page: { size, cursor: text('after'), direction: 'forward' },
      withConfigurations: false,
    },
  );
  const next = page.hasNextPage ? page.cursorOf(page.items.at(-1), 'forward') : null;
  if (next !== null) note(`There are more: --after ${next}`);
  return { customers: page.items.map(toListed), next, filter };
}

/** Without configurations, which may have 64 KiB each. */
function toListed({ customerId, name, email, version, connections }: Customer) {
  return {
    customerId,
    name,
    email,
    version,
    connections: connections.map((one) => ({
      id: one.id,
      customerId: one.customerId,
      providerName: one.providerName,
      status: one.status,
      statusReason: readStatusReason(PROVIDERS, one),
      statusChangedAt: one.statusChangedAt,
      instanceUrl: one.instanceUrl,
      account: one.account,
    })),
  };
}

function readFilter({ text, list }: Invocation): CustomerFilter {
  const [ids, named, status] = [list('id'), text('provider'), text('status')];
  const provider = named === undefined ? undefined : readProvider(named);
  if (status !== undefined && !isStatus(status)) throw new UsageError(`Not a status: ${status}`);
  return {
    customerIds: ids.length > 0 ? ids : undefined,
    email: text('email'),
    provider,
    status,
  };
}

function isStatus(text: string): text is ConnectionStatus {
  return wordsOf(connectionStatus).some((status) => status === text);
}
