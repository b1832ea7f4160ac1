import type { Binaries } from './binaries.ts';
import type { User } from './run-as.ts';

/** What is run, and as whom. */
export interface Programs {
  readonly binaries: Binaries;
  readonly libraries: string | undefined;
  readonly user: User | undefined;
}
