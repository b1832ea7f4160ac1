import { createGatherer } from '../lib/gather.ts';
import { isAway, toAway } from './engine/failures.ts';

/**
 * Reads of one application that come at the same time are one statement. However many of its requests are under way, few
 * of its statements are: the other connections of the pool are there for other applications.
 */
export function readTogether<Asked, Found>({ keyOf, read }: ReadOptions<Asked, Found>): Read<Asked, Found> {
  const gather = createGatherer<Item<Asked>, ReadonlyMap<string, Found>>({
    laneOf: ({ applicationId }) => applicationId,
    sizeOf: ({ asked }) => asked.reduce((size, one) => size + keyOf(one).length, 0),
    async work(items) {
      const [{ applicationId } = NOBODY] = items;
      const unique = new Map(items.flatMap(({ asked }) => asked.map((one) => [keyOf(one), one])));
      const found = await read(applicationId, [...unique.values()]);
      return items.map(() => found);
    },
  });
  return async (applicationId, asked) => {
    if (asked.length === 0) return new Map();
    try {
      return await gather({ applicationId, asked });
    } catch (error) {
      // Each request has an error of its own.
      throw isAway(error) ? toAway((error as Error).cause) : error;
    }
  };
}

const NOBODY = { applicationId: '' };

/** What was found may hold what others asked for at the same time. */
type Read<Asked, Found> = (
  applicationId: string,
  asked: readonly Asked[],
) => Promise<ReadonlyMap<string, Found>>;

interface ReadOptions<Asked, Found> {
  /** Names the record within its application. */
  keyOf(asked: Asked): string;
  /** By their keys; what is not there is missing. */
  read(applicationId: string, asked: readonly Asked[]): Promise<ReadonlyMap<string, Found>>;
}

interface Item<Asked> {
  readonly applicationId: string;
  readonly asked: readonly Asked[];
}
