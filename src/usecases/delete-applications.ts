import type { Application } from '../domain/caller.ts';
import type { DeletedApplications, RemovedConnection, Revocation } from '../domain/tenant.ts';

/**
 * Deletes the data of applications that are marked as deleted, in small steps. One process at a time. Grants that came
 * by connect links are revoked at the providers, as when a customer is deleted. A stop or a crash only delays it: the
 * next run continues with what is left.
 */
export async function deleteApplications(deps: ApplicationDeletionDeps): Promise<void> {
  const { deleted, holder, isStopping } = deps;
  const mayContinue = async () =>
    !isStopping() && (await deleted.acquireJobLease(holder, LEASE_MS));
  for (;;) {
    const application = await deleted.find(SETTLED_MS);
    if (!application || !(await mayContinue())) return;
    const removed = await removeCustomers(deps, application, mayContinue);
    if (!removed) return;
    for await (const _ of deleted.deleteHistory(application.id)) {
      if (!(await mayContinue())) return;
    }
    await deleted.remove(application.id);
    deps.onDeleted({ ...application, ...removed });
  }
}

/** Undefined if it was stopped before its end. */
async function removeCustomers(
  { deleted, removeCustomer, revoke }: ApplicationDeletionDeps,
  { id }: Application,
  mayContinue: () => Promise<boolean>,
): Promise<RemovedAmounts | undefined> {
  let [customers, revoked, notRevoked] = [0, 0, 0];
  for (;;) {
    const page = await deleted.findCustomers(id);
    if (page.length === 0) return { customers, revoked, notRevoked };
    const granted = page.filter(({ hasGrant }) => hasGrant);
    while (granted.length > 0) {
      if (!(await mayContinue())) return undefined;
      const removals = granted.splice(0, TOGETHER).map(async ({ customerId }) => {
        const connections = (await removeCustomer(id, customerId)) ?? [];
        return Promise.all(connections.map(revoke));
      });
      for (const revocation of (await Promise.all(removals)).flat()) {
        if (revocation === 'REVOKED') revoked += 1;
        if (revocation === 'FAILED') notRevoked += 1;
      }
    }
    if (!(await mayContinue())) return undefined;
    const plain = page.flatMap(({ customerId, hasGrant }) => (hasGrant ? [] : [customerId]));
    await deleted.deleteCustomers(id, plain);
    customers += page.length;
  }
}

/** No process accepts its keys and tokens any more, and requests that were running have ended. */
const SETTLED_MS = 10_000;
/** Longer than a step takes: the revocations of some customers, each with its timeouts. */
const LEASE_MS = 3 * 60_000;
/** Customers whose grants are revoked at the same time. */
const TOGETHER = 5;

interface RemovedAmounts {
  readonly customers: number;
  /** Grants that were revoked at the providers, and those where that failed. */
  readonly revoked: number;
  readonly notRevoked: number;
}

export interface ApplicationDeletionDeps {
  readonly deleted: DeletedApplications;
  /** The UUID of this process. */
  readonly holder: string;
  isStopping(): boolean;
  /** Undefined if there is no such customer any more. */
  removeCustomer(
    applicationId: string,
    customerId: string,
  ): Promise<readonly RemovedConnection[] | undefined>;
  /** Never rejects. */
  revoke(removed: RemovedConnection): Promise<Revocation>;
  onDeleted(deleted: Application & RemovedAmounts): void;
}
