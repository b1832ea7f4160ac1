import { type Profiler, Session } from 'node:inspector/promises';

/** Profiles its own process between two calls. */
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
