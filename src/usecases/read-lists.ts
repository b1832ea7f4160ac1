import { RECORDS } from '../domain/records/catalogue.ts';
import { CONTACT } from '../domain/records/contact.ts';
import { DEAL } from '../domain/records/deal.ts';
import type { Owner } from '../domain/records/owner.ts';
import type { Pipeline } from '../domain/records/pipeline.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import { findMappedConnection } from './map-custom-fields.ts';
import { type OpenDeps, openCrmClient } from './open-crm-client.ts';

/** The pipelines of deals in a customer's CRM, at most an hour old. */
export function readPipelines(deps: OpenDeps, target: RecordTarget): Promise<readonly Pipeline[]> {
  return deps.withSpan('readPipelines', async () => {
    deps.requireCaller();
    return (await openCrmClient(deps, target, DEAL)).port.pipelines();
  });
}

/** The users of a customer's CRM to whom records can belong, at most an hour old. Listed where any records may be read. */
export function readOwners(deps: OpenDeps, target: RecordTarget): Promise<readonly Owner[]> {
  return deps.withSpan('readOwners', async () => {
    deps.requireCaller();
    const { readableRecords } = await findMappedConnection(deps, target);
    const type = readableRecords[0] ?? CONTACT.type;
    return (await openCrmClient(deps, target, RECORDS[type])).port.owners();
  });
}
