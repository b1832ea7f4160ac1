import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultMaxHeldBytes } from '../../src/limits/memory-limit.ts';

const MEGABYTE = 1_048_576;
const read = (path: string) => readFileSync(path, 'utf8');
const find = (path: string, pattern: RegExp) =>
  [...read(path).matchAll(pattern)].map(([, found = '']) => found);

test('image, Compose and Kubernetes agree on memory, and what the process may take fits into it', () => {
  const [options = '', ...others] = find('Dockerfile', /NODE_OPTIONS=(\S+)/g);
  expect(others).toEqual([]);
  for (const path of ['ops/compose.yaml', 'ops/kubernetes/crossbook.yaml']) {
    expect(read(path)).not.toContain('max-old-space-size');
  }
  expect(find('ops/compose.yaml', /^ {4}mem_limit: (\S+)$/gm)).toEqual(['1g']);
  expect(find('ops/kubernetes/crossbook.yaml', /limits: \{ memory: (\S+) \}/g)).toEqual(['1Gi']);

  const flags = JSON.parse(read('build/node-flags.json')) as string[];
  const program = "require('node:v8').getHeapStatistics().heap_size_limit";
  const { stdout } = spawnSync(process.execPath, [...flags, '-p', program], {
    env: { NODE_OPTIONS: options },
    encoding: 'utf8',
  });
  const heapBytes = Number(stdout);
  const systemBytes = 1024 * MEGABYTE;
  expect(heapBytes).toBeGreaterThan(512 * MEGABYTE);
  expect(heapBytes + defaultMaxHeldBytes({ heapBytes, systemBytes })).toBeLessThan(systemBytes);

  const words = read('docs/operations.md');
  expect(words).toContain(`the heap ${/\d+$/.exec(options)} MB`);
  expect(words).toContain('limit a container to 1 GiB');
});

test('the settings that deployments set are settings', () => {
  const example = read('.env.example');
  for (const path of ['Dockerfile', 'ops/compose.yaml', 'ops/kubernetes/crossbook.yaml']) {
    for (const name of find(path, /\b(CROSSBOOK_[A-Z_]+)\b/g)) expect(example).toContain(`# ${name}=`);
  }
});
