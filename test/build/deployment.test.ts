import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMMANDS } from '../../src/cli/run.ts';
import { readConfig } from '../../src/config.ts';
import { CrossbookError, toErrorBody } from '../../src/domain/errors.ts';
import { openRest } from '../rest/open-rest.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { isListening } from '../support/is-listening.ts';
import { HAPROXY } from '../support/machine.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

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
  expect(heapBytes).toBeGreaterThan(512 * MEGABYTE);
  // Bodies of responses that are not read yet are outside of the heap: at most a quarter of it.
  expect(1.25 * heapBytes).toBeLessThan(1024 * MEGABYTE);

  const words = read('docs/deployment.md');
  expect(words).toContain(`the heap ${/\d+$/.exec(options)} MB`);
  expect(words).toContain('limit a container to 1 GiB');
});

describe('The commands of the deployment guide', () => {
  const words = read('docs/deployment.md');
  const lines = [...words.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );

  test('name existing files', () => {
    const files = [...words.matchAll(/\bops\/[\w./-]*\w/g)].map(([file]) => file);
    expect(new Set(files)).toContain('ops/compose.yaml');
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const others = readdirSync('ops/kubernetes').filter((name) => name !== 'crossbook.yaml');
    expect(others.sort()).toEqual(['ingress.yaml', 'monitoring', 'network-policy.yaml']);
    for (const name of others) expect(words).toContain(name);
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

test.skipIf(!HAPROXY)('HAProxy accepts its configuration', () => {
  const args = ['-c', '-f', 'ops/cluster/haproxy.cfg'];
  const { status, stdout, stderr } = spawnSync(HAPROXY ?? '', args, { encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, 'Configuration file is valid\n']);
});

test.skipIf(!HAPROXY)('HAProxy answers in our error format while no host is up', async () => {
  const port = await findFreePorts();
  const folder = makeTemporaryFolder();
  const file = join(folder, 'haproxy.cfg');
  const settings = read('ops/cluster/haproxy.cfg')
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.1\d:4000/g, '127.0.0.1:1')
    .replaceAll(/^ {2}(user|group) haproxy$/gm, '');
  writeFileSync(file, settings);
  const child = spawn(HAPROXY ?? '', ['-f', file], { stdio: 'ignore' });
  try {
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await expect.poll(() => isListening(port)).toBe(true);
    for (const [path, code] of [
      ['/graphql', 'SERVICE_UNAVAILABLE'],
      ['/metrics', 'NOT_FOUND'],
    ] as const) {
      const response = await get(path);
      const { errors } = (await response.json()) as { errors: Record<string, unknown>[] };
      const [{ message, extensions, ...rest } = {}] = errors;
      const retry = code === 'SERVICE_UNAVAILABLE' ? { retryAfterMs: 1_000 } : {};
      const ours = toErrorBody(new CrossbookError(code, String(message), retry), null);
      expect(rest).toEqual({ ...ours, id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(extensions).toEqual(rest);
      expect(String(response.status)).toBe(ours.status);
      expect(response.headers.get('retry-after')).toBe(code === 'NOT_FOUND' ? null : '1');
    }
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
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
      ...find('docs/deployment.md', /listens on 127\.0\.0\.1:(\d+)/g),
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
    const [documented = ''] = find('docs/deployment.md', /paths lead to Crossbook: (.+) \|$/gm);
    expect(documented.split(', ')).toEqual(paths.map((path) => `\`${path}\``));
    const balanced = find('ops/cluster/haproxy.cfg', /^ {2}acl client_path path(?:_beg)? (.+)$/gm);
    expect(balanced.flatMap((line) => line.split(' ')).sort()).toEqual(paths.toSorted());
    expect(read('ops/cluster/haproxy.cfg')).toContain('http-check send meth GET uri /readyz');
    const probes = { startup: '/livez', readiness: '/readyz', liveness: '/livez' };
    for (const [name, path] of Object.entries(probes)) {
      expect(read(manifest)).toMatch(new RegExp(`${name}Probe:\n +httpGet: \\{ path: ${path},`));
    }
  });

  test('on the paths of the REST API, all of which are routed', async () => {
    const { document } = await openRest();
    const ingress = read('ops/kubernetes/ingress.yaml');
    const unrouted = Object.keys(document.paths).filter((path) => {
      const [, root, ...below] = path.split('/');
      const type = below.length > 0 ? 'Prefix' : '(?:Prefix|Exact)';
      return !new RegExp(`\\{ path: /${root}, pathType: ${type},`).test(ingress);
    });
    expect(unrouted).toEqual([]);
  });

  test('on the termination grace period: requests in flight can finish, and pools close', () => {
    const [closing] = find('src/http/lifecycle.ts', /CLOSING_MS = (\d+)_000/g);
    const stopS = readConfig({}).shutdownMs / 1_000 + Number(closing);
    const [grace] = find('ops/compose.yaml', /stop_grace_period: (\d+)s/g);
    const [pod] = find(manifest, /terminationGracePeriodSeconds: (\d+)/g);
    const [before] = find(manifest, /command: \['sleep', '(\d+)'\]/g);
    const [documented] = find('docs/deployment.md', /Give it (\d+) s before killing it/g);
    expect(grace).toBe(documented);
    expect(Number(grace)).toBeGreaterThan(stopS);
    expect(Number(pod) - Number(before)).toBe(Number(documented));
  });
});

test('images have a tag for their version, and the documents name the same one', () => {
  const { version } = JSON.parse(read('package.json'));
  const ours = `registry.example.com/crossbook:${version}`;
  expect(find('ops/kubernetes/crossbook.yaml', /image: (\S+)/g)).toEqual([ours]);
  expect(find('docs/deployment.md', /(registry\.example\.com\/\S+)/g)).toEqual([ours, ours]);
  for (const image of find('ops/compose.yaml', /image: (\S+)/g)) expect(image).toMatch(/:\d+$/);
});

test('the network policy allows the ports of the services, and the ServiceMonitor scrapes the port of the service', () => {
  const policy = read('ops/kubernetes/network-policy.yaml');
  const urls = find('ops/compose.yaml', /\w+:\/\/\S+:(\d+)(?:\/crossbook)?$/gm);
  expect(urls).toEqual(['5432', '6379']);
  for (const port of [...urls, '4318', '443', '53']) expect(policy).toContain(`port: ${port} }`);
  const ports = find('ops/kubernetes/crossbook.yaml', /name: (\w+), containerPort/g);
  expect(find('ops/kubernetes/network-policy.yaml', /port: ([a-z]+) \}/g)).toEqual(ports);
  expect(find('ops/kubernetes/monitoring/service-monitor.yaml', /port: (\w+),/g)).toEqual(ports);
});

describe('The autoscaler', () => {
  const manifest = 'ops/kubernetes/crossbook.yaml';
  const number = (pattern: RegExp) => Number(find(manifest, pattern)[0]);

  test('alone sets the number of pods', () => {
    expect(read(manifest)).not.toMatch(/^ *replicas:/m);
    expect(number(/minReplicas: (\d+)/g)).toBeGreaterThan(1);
  });

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

test('Compose passes on any setting, from a file that git and the image leave out', () => {
  const { services } = parse(read('ops/compose.yaml'));
  const [{ path = '' } = {}] = services.crossbook.env_file;
  const file = basename(path);
  expect(read('docs/deployment.md')).toContain(`\`${file}\``);
  const ignored = spawnSync('git', ['check-ignore', file], { encoding: 'utf8' });
  expect(ignored.stdout.trim()).toBe(file);
  expect(read('.dockerignore').split('\n')).toContain('**/*.env');
  // A variable of `environment` would override the file.
  expect(Object.keys(services.crossbook.environment)).toEqual([
    'CROSSBOOK_KEYS',
    'DATABASE_URL',
    'REDIS_URL',
    'CROSSBOOK_METRICS',
  ]);
});

test('the files for a single host route the client paths, and give the process time to stop', () => {
  const routed = find('ops/single-host/Caddyfile', /^\t@client path (.+)$/gm)[0]?.split(' ') ?? [];
  const paths = find('ops/kubernetes/ingress.yaml', /\{ path: (\S+),/g);
  const exact = routed.filter((path) => !path.endsWith('/*'));
  expect(exact.toSorted()).toEqual(paths.toSorted());
  const prefixes = find('ops/kubernetes/ingress.yaml', /\{ path: (\S+), pathType: Prefix/g);
  const below = routed.filter((path) => path.endsWith('/*')).map((path) => path.slice(0, -2));
  expect(below.toSorted()).toEqual(prefixes.toSorted());
  const [stop] = find('ops/single-host/crossbook.service', /^TimeoutStopSec=(\d+)$/gm);
  const [documented] = find('docs/deployment.md', /Give it (\d+) s before killing it/g);
  expect(Number(stop)).toBeGreaterThanOrEqual(Number(documented));
});
