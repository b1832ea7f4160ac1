import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { readHotSpots, toHotSpotText } from '../report/hot-spots.ts';
import type { Options } from '../support/options.ts';
import { RESULTS } from '../support/paths.ts';
import { say, showProgress } from '../support/progress.ts';
import { measure } from '../throughput/measure.ts';
import { openStage } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import { CONNECTIONS } from './throughput.ts';

/** `profile crossbook 100`: where a contender's time goes, by the functions that it is spent in. */
export async function profile(options: Options): Promise<void> {
  const [name = 'crossbook', caseName = '100'] = options.rest;
  const asked = CASES.find((one) => one.name === caseName);
  if (!asked) throw new Error(`There is no case ${caseName}. There are: ${CASES.map((one) => one.name)}`);
  const stage = await openStage({ ...options, only: [name] });
  try {
    const [player] = stage.players;
    if (!player) throw new Error(`There is no contender ${name}.`);
    const requests = toRequests(player.kind, asked, player.headers);
    const work = { player, requests, connections: CONNECTIONS, seconds: options.seconds };
    showProgress(`${player.title}, ${asked.title}: warms up`);
    await measure(stage, work);
    await player.process.call('startProfile');
    showProgress(`${player.title}, ${asked.title}: is profiled`);
    const { rate, cpuMs, calls } = await measure(stage, work);
    const found = await player.process.call<Profiler.Profile>('stopProfile');
    const path = join(RESULTS, `${name}-${caseName}.cpuprofile`);
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(path, JSON.stringify(found));
    const answers = `${rate.toFixed(0)} answers/s, ${cpuMs.toFixed(2)} ms CPU and ${calls.toFixed(2)} CRM calls each`;
    say(`${player.title}, ${asked.title}: ${answers}\n${toHotSpotText(readHotSpots(found))}\n  ${path}`);
  } finally {
    await stage.close();
  }
}
