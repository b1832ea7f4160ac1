import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { defaultMaxHeldBytes } from '../../src/admission/memory.ts';
import { COMMANDS } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config.ts';

const MEGABYTE = 1_048_576;
const read = (path: string) => readFileSync(path, 'utf8');
const find = (path: string, pattern: RegExp) =>
  [...read(path).matchAll(pattern)].map(([, found = '']) => found);

test('image, Compose and Kubernetes agree on memory, and the process limits fit into it', () => {
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

describe('The commands of the deployment guide', () => {
  const [, section = ''] = read('docs/operations.md').split('\n## From a clone to production\n');
  const [words = ''] = section.split('\n## ');
  const lines = [...words.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );

  test('name existing files', () => {
    const files = [...words.matchAll(/\bops\/[\w./-]*\w/g)].map(([file]) => file);
    expect(new Set(files)).toContain('ops/compose.yaml');
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(readdirSync('ops/kubernetes').sort()).toEqual(['crossbook.yaml', 'ingress.yaml']);
    expect(words).toContain('`ingress.yaml`');
  });

  test('run programs that the image contains, in existing services and deployments', () => {
    const [, program] = /^CMD \["(.+)"\]$/m.exec(read('Dockerfile')) ?? [];
    const runs = lines.flatMap((line) => {
      const [, target = '', path = '', ...command] =
        / exec (\S+) (?:-- )?(\S+) (\w+) (\w+) \S+$/.exec(line) ?? [];
      return target ? [{ target, path, command: command.join(' ') }] : [];
    });
    expect(runs.map(({ path }) => path)).toEqual(Array.from({ length: 4 }, () => program));
    const commands = COMMANDS.map(({ name }) => name);
    expect(runs.filter(({ command }) => !commands.includes(command))).toEqual([]);
    const services = find('ops/compose.yaml', /^ {2}(\w+):$/gm);
    const deployments = find(
      'ops/kubernetes/crossbook.yaml',
      /^kind: Deployment\nmetadata:\n {2}name: (\S+)$/gm,
    );
    const targets = [...services, ...deployments.map((name) => `deployment/${name}`)];
    expect(runs.filter(({ target }) => !targets.includes(target))).toEqual([]);
  });

  test('set every variable that the files require', () => {
    const required = find('ops/compose.yaml', /\$\{(\w+):\?/g);
    const exported = lines.flatMap((line) => /^export (\w+)=/.exec(line)?.[1] ?? []);
    expect(exported).toEqual(required);
    const [, secret, file = ''] =
      lines
        .map((line) => /create secret generic (\S+) --from-env-file (\S+)$/.exec(line))
        .find(Boolean) ?? [];
    expect(find('ops/kubernetes/crossbook.yaml', /secretRef: \{ name: (\S+) \}/g)).toEqual([
      secret,
    ]);
    expect(words).toContain(`cat > ${file} <<END`);
    // It holds the keys. The build context of an image leaves out the same files.
    const ignored = spawnSync('git', ['check-ignore', file, '.env', '.env.example'], {
      encoding: 'utf8',
    });
    expect(ignored.stdout.split('\n')).toEqual([file, '.env', '']);
    expect(read('.dockerignore').split('\n')).toContain('**/*.env');
  });
});

describe('Image, Compose, Kubernetes and documents agree', () => {
  const manifest = 'ops/kubernetes/crossbook.yaml';

  test('on the port', () => {
    const { port } = readConfig({});
    const documented = [
      ...find('Dockerfile', /\bPORT=(\d+)/g),
      ...find('Dockerfile', /^EXPOSE (\d+)$/gm),
      ...find('ops/compose.yaml', /ports: \['127\.0\.0\.1:\d+:(\d+)'\]/g),
      ...find(manifest, /containerPort: (\d+)/g),
      ...find('docs/operations.md', /listens on 127\.0\.0\.1:(\d+)/g),
    ];
    expect(documented).toEqual(Array.from({ length: 5 }, () => String(port)));
    expect(find(manifest, /targetPort: (\w+)/g)).toEqual(
      find(manifest, /name: (\w+), containerPort/g),
    );
    expect(
      find('ops/kubernetes/ingress.yaml', /backend: &\w+ \{ service: \{ name: (\w+),/g),
    ).toEqual(find(manifest, /^kind: Service\nmetadata:\n {2}name: (\S+)$/gm));
  });

  test('on the paths: client paths are routed, and probes use existing endpoints', () => {
    const paths = find('ops/kubernetes/ingress.yaml', /\{ path: (\S+),/g);
    const [documented = ''] = find('docs/operations.md', /paths lead to Crossbook: (.+) \|$/gm);
    expect(documented.split(', ')).toEqual(paths.map((path) => `\`${path}\``));
    const probes = { startup: '/livez', readiness: '/readyz', liveness: '/livez' };
    for (const [name, path] of Object.entries(probes)) {
      expect(read(manifest)).toMatch(new RegExp(`${name}Probe:\n +httpGet: \\{ path: ${path},`));
    }
  });

  test('on the termination grace period: requests in flight can finish, and pools close', () => {
    const [closing] = find('src/http/lifecycle.ts', /CLOSING_MS = (\d+)_000/g);
    const stopS = readConfig({}).shutdownMs / 1_000 + Number(closing);
    const [grace] = find('ops/compose.yaml', /stop_grace_period: (\d+)s/g);
    const [pod] = find(manifest, /terminationGracePeriodSeconds: (\d+)/g);
    const [before] = find(manifest, /command: \['sleep', '(\d+)'\]/g);
    const [documented] = find('docs/operations.md', /Give it (\d+) s before killing it/g);
    expect(grace).toBe(documented);
    expect(Number(grace)).toBeGreaterThan(stopS);
    expect(Number(pod) - Number(before)).toBe(Number(documented));
  });
});

describe('The autoscaler', () => {
  const manifest = 'ops/kubernetes/crossbook.yaml';
  const number = (pattern: RegExp) => Number(find(manifest, pattern)[0]);

  test('adds a pod at 60 % of the one core that a process can use', () => {
    expect(number(/requests: \{ cpu: (\d+)m,/g)).toBe(1_000);
    expect(number(/averageUtilization: (\d+)/g)).toBe(60);
  });

  test('never starts more pods than the connections of a PostgreSQL with default settings', () => {
    const pods = number(/maxReplicas: (\d+)/g) + number(/maxSurge: (\d+)/g);
    const connections = readConfig({}).databaseConnections + 1;
    expect(pods * connections).toBeLessThanOrEqual(100 - 3);
  });
});

test('every setting that a deployment sets exists', () => {
  const example = read('.env.example');
  for (const path of ['Dockerfile', 'ops/compose.yaml', 'ops/kubernetes/crossbook.yaml']) {
    for (const name of find(path, /\b(CROSSBOOK_[A-Z_]+)\b/g))
      expect(example).toContain(`# ${name}=`);
  }
});

test('Compose passes on what connecting a CRM needs: the public URL and the OAuth clients', () => {
  const clients = find('.env.example', /^# (CROSSBOOK_\w+_CLIENT_(?:ID|SECRET))=/gm);
  expect(clients.length).toBeGreaterThan(2);
  const passed = find('ops/compose.yaml', /^ {6}(\w+): *$/gm);
  expect(passed).toEqual(['PUBLIC_URL', ...clients]);
});
