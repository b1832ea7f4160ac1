import { DEMO_APPLICATION } from '../domain/caller.ts';
import type { Engine } from './engine/open.ts';

/** A process with the sandbox says that it uses the demo's data; one without it removes them where no process does. */
export function createDemoData(engine: Engine): DemoData {
  return {
    use: () => engine.holdShared(LOCK),
    async remove() {
      // The common start finds nothing, and needs no lock.
      if (!(await isThere())) return false;
      return engine.alone(async (run) => {
        const [row] = await run(`select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free`, [LOCK]);
        if (!(row as { free: boolean }).free) return false;
        const removed = await run('delete from crossbook.applications where id = $1::uuid returning id', [
          DEMO_APPLICATION.id,
        ]);
        return removed.length > 0;
      });
    },
    isThere,
  };

  async function isThere(): Promise<boolean> {
    return (await engine.repeatable(() => engine.query(FIND, [DEMO_APPLICATION.id]))).length > 0;
  }
}

const FIND = { name: 'find_demo', text: 'select id from crossbook.applications where id = $1::uuid' };
const LOCK = 'crossbook:demo data';

export interface DemoData {
  /** Until the database is closed, or this process ends. */
  use(): Promise<void>;
  /** The demo application and everything of it. False where there is nothing, or a process that uses it. */
  remove(): Promise<boolean>;
  isThere(): Promise<boolean>;
}
