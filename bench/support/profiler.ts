import { type Profiler, Session } from 'node:inspector/promises';

/** Profiles the process that it runs in, from one call to the other. */
export function createProfiler() {
  const session = new Session();
  return {
    async startProfile(): Promise<void> {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
    },
    async stopProfile(): Promise<Profiler.Profile> {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return profile;
    },
  };
}
