import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { isStorable } from '../lib/is-storable.ts';

/** What the operator does with applications, by command and over HTTP. Rejects with CONFLICT where the name is taken. */
export async function createApplication(
  store: Pick<ApplicationAdmin, 'createApplication' | 'setOrigins'>,
  { name, origins = [] }: { readonly name: string; readonly origins?: readonly string[] | undefined },
): Promise<ListedApplication> {
  checkName(name);
  const application = await store.createApplication(name);
  if (origins.length > 0) await store.setOrigins(application.id, origins);
  return { id: application.id, name, origins };
}

export async function listApplications(
  store: Pick<ApplicationAdmin, 'listApplications' | 'listOrigins'>,
): Promise<readonly ListedApplication[]> {
  const [applications, allowed] = await Promise.all([store.listApplications(), store.listOrigins()]);
  const origins = new Map(allowed.map((one) => [one.applicationId, one.origins]));
  return applications.map(({ id, name }) => ({ id, name, origins: origins.get(id) ?? [] }));
}

/** By its id, or by its name where no other has it. Rejects with NOT_FOUND, or with CONFLICT where several have it. */
export async function findApplication(
  store: Pick<ApplicationAdmin, 'listApplications'>,
  text: string,
): Promise<Application> {
  const all = await store.listApplications();
  const [found, ...others] = all.filter(({ id, name }) => id === text.toLowerCase() || name === text);
  if (!found) throw new CrossbookError('NOT_FOUND', `There is no application ${JSON.stringify(text)}.`);
  if (others.length === 0) return found;
  const detail = `Several applications are called ${JSON.stringify(text)}: give the id of one.`;
  throw new CrossbookError('CONFLICT', detail);
}

/** With nothing to add or remove, it only tells. */
export async function changeOrigins(
  store: ApplicationAdmin,
  { application, added, removed }: OriginChange,
): Promise<ListedApplication> {
  const { id, name } = await findApplication(store, application);
  const stored = (await store.listOrigins()).find(({ applicationId }) => applicationId === id)?.origins ?? [];
  const origins = [...new Set([...stored, ...added])].filter((origin) => !removed.includes(origin));
  if (added.length + removed.length > 0) await store.setOrigins(id, origins);
  return { id, name, origins };
}

/** It stands in lists, in the log and in error messages. */
export function checkName(name: string): void {
  const isFit = name.trim() !== '' && name.length <= MAX_NAME && isStorable(name) && !/\p{Cc}/u.test(name);
  if (isFit) return;
  const detail = `A name has 1 to ${MAX_NAME} characters, and no control characters.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

const MAX_NAME = 200;

export interface ApplicationAdmin {
  /** Rejects with CONFLICT where another has the name. */
  createApplication(name: string): Promise<Application>;
  listApplications(): Promise<readonly Application[]>;
  setOrigins(applicationId: string, origins: readonly string[]): Promise<void>;
  listOrigins(): Promise<readonly { readonly applicationId: string; readonly origins: readonly string[] }[]>;
}

export interface ListedApplication extends Application {
  /** Web origins whose pages may call for it. */
  readonly origins: readonly string[];
}

interface OriginChange {
  /** Its id or its name. */
  readonly application: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}
