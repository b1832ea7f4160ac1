import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import { createStatementBreakers, type StatementBreakers } from './statement-breakers.ts';

/** Statements that wait for a locked table do not take its connections from all others. */
export class BreakerPool extends pg.Pool {
  readonly #breakers: StatementBreakers;

  constructor(settings: pg.PoolConfig, clock: Pick<Clock, 'now'>) {
    super(settings);
    this.#breakers = createStatementBreakers(clock);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own has eight overloads; Drizzle and we pass an object with the text.
  override query(...given: any[]): any {
    return this.#breakers.run(given[0].text, () => Reflect.apply(super.query, this, given));
  }
}
