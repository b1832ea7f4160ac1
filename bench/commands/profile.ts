import { mkdirSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { basename, join, resolve } from 'node:path';
import { readBudget, toBudgetText } from '../report/budget.ts';
import { readHotSpots, toHotSpotText } from '../report/hot-spots.ts';
import type { Options } from '../support/options.ts';
import { RESULTS } from '../support/paths.ts';
import { say, showProgress } from '../support/progress.ts';
import { measure } from '../throughput/measure.ts';
import { openStage } from '../throughput/stage.ts';
import { CASES, WITH_COMPANIES } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import { CONNECTIONS } from './throughput.ts';

const RECORDS = ['contact', 'company'];

/**
 * `profile crossbook 100`: a contender's CPU time by folder and by function. The third argument is the directory of
 * another build of Crossbook.
 */
export async function profile(options: Options): Promise<void> {
  const [name = 'crossbook', caseName = '100', folder] = options.rest;
  const workload = [...CASES, WITH_COMPANIES].find((one) => one.name === caseName);
  if (!workload)
    throw new Error(`There is no case ${caseName}. There are: ${CASES.map((one) => one.name)}`);
  const other = folder && { name: folder, title: folder, product: join(resolve(folder), 'dist') };
  const stage = await openStage(
    other
      ? { ...options, only: [], variants: [other] }
      : { ...options, only: [name], ...(workload === WITH_COMPANIES && { records: RECORDS }) },
  );
  try {
    const [player] = stage.players;
    if (!player) throw new Error(`There is no contender ${name}.`);
    const requests = toRequests(player.kind, workload, player.headers);
    const work = { player, requests, connections: CONNECTIONS, seconds: options.seconds };
    showProgress(`${player.title}, ${workload.title}: warms up`);
    await measure(stage, work);
    await player.process.call('startProfile');
    showProgress(`${player.title}, ${workload.title}: is profiled`);
    const { rate, cpuMs, calls } = await measure(stage, work);
    const found = await player.process.call<Profiler.Profile>('stopProfile');
    const path = join(RESULTS, `${basename(folder ?? name)}-${caseName}.cpuprofile`);
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(path, JSON.stringify(found));
    const answers = `${rate.toFixed(0)} answers/s, ${cpuMs.toFixed(2)} ms CPU and ${calls.toFixed(2)} CRM calls each`;
    say(
      `${player.title}, ${workload.title}: ${answers}\n${toBudgetText(readBudget(found), cpuMs)}\n${toHotSpotText(readHotSpots(found))}\n  ${path}`,
    );
  } finally {
    await stage.close();
  }
}
