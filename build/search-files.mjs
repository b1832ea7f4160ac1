import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'undici';

/**
 * Lists the files of `src` that a search by email executes: V8's precise coverage of one request to the built
 * product, mapped through its source maps, in the order in which the files are first entered. The server is warm,
 * but each counted search has an API key that is not cached. A timer can fire during a request by chance, so only
 * what is executed in every round counts.
 */
export async function listSearchFiles() {
  const product = await startProduct();
  const inspector = await openInspector(product.inspectorUrl);
  try {
    await inspector.send('Profiler.enable');
    await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const found = {};
    for (const [name, { path, body }] of Object.entries(SEARCHES)) {
      const key = await product.createKey();
      for (let round = 0; round < ROUNDS; round += 1) await product.search(key, path, body);
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const fresh = await product.createKey();
        rounds.push(await readCalled(inspector, () => product.search(fresh, path, body)));
      }
      const called = rounds.reduce((kept, round) =>
        kept.filter(({ id }) => round.some((one) => one.id === id)),
      );
      const fresh = await product.createKey();
      found[name] = await sortByEntry(inspector, called, () => product.search(fresh, path, body));
    }
    return found;
  } finally {
    // Otherwise the process would not exit.
    inspector.close();
    await product.stop();
  }
}

/** Our functions that are called meanwhile. The evaluation of a module on load is not counted. */
async function readCalled({ send }, work) {
  // Taking coverage resets the counters.
  await send('Profiler.takePreciseCoverage');
  await work();
  const { result } = await send('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(DIST))
    .flatMap(({ scriptId, url, functions }) =>
      functions
        .map(({ ranges: [range] }) => range)
        .filter(({ startOffset, count }) => count > 0 && startOffset > 0)
        .map((range) => ({
          id: `${scriptId}:${range.startOffset}`,
          scriptId,
          ...toPlace(url, range),
        }))
        .filter(({ file }) => file?.startsWith('src/') && !file.startsWith('src/sandbox/')),
    );
}

/** A breakpoint at the start of each function, which never pauses: its condition only records the call. */
async function sortByEntry({ send }, called, work) {
  await send('Debugger.enable');
  for (const [index, { scriptId, start, end }] of called.entries()) {
    const range = {
      start: { scriptId, ...start },
      end: { scriptId, ...end },
      restrictToFunction: true,
    };
    const { locations } = await send('Debugger.getPossibleBreakpoints', range);
    const condition = `globalThis.reached?.push(${index}), false`;
    if (locations[0]) await send('Debugger.setBreakpoint', { location: locations[0], condition });
  }
  await send('Runtime.evaluate', { expression: 'globalThis.reached = []' });
  await work();
  const { result } = await send('Runtime.evaluate', {
    expression: 'globalThis.reached',
    returnByValue: true,
  });
  await send('Runtime.evaluate', { expression: 'delete globalThis.reached' });
  await send('Debugger.disable');
  return [...new Set([...result.value, ...called.keys()].map((index) => called[index].file))];
}

/** The source range of a range in a bundle, and its source file. */
function toPlace(url, { startOffset, endOffset }) {
  if (!bundles.has(url)) {
    const path = fileURLToPath(url);
    const lines = [0];
    const text = readFileSync(path, 'utf8');
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
    bundles.set(url, {
      lines,
      map: new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))),
    });
  }
  const { lines, map } = bundles.get(url);
  const toPosition = (offset) => {
    const lineNumber = lines.findLastIndex((start) => start <= offset);
    return { lineNumber, columnNumber: offset - lines[lineNumber] };
  };
  const start = toPosition(startOffset);
  const { originalSource } = map.findEntry(start.lineNumber, start.columnNumber);
  return { start, end: toPosition(endOffset), file: originalSource?.replace(/^(\.\.\/)+/, '') };
}

const bundles = new Map();

async function startProduct() {
  const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
  // The embedded database may run as another user.
  chmodSync(data, 0o711);
  const adminKey = `cba_${'a'.repeat(43)}`;
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', join(DIST, 'main.js')], {
    cwd: data,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      CROSSBOOK_DATA: data,
      CROSSBOOK_SANDBOX: 'on',
      CROSSBOOK_SANDBOX_PORT: '0',
      CROSSBOOK_ADMIN_KEY_HASH: createHash('sha256').update(adminKey).digest('hex'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[, inspectorUrl], [, url]] = await Promise.all([
    readLine(child.stderr, /listening on (ws:\S+)/),
    readLine(child.stdout, /ready at (\S+)/),
  ]);
  const post = async (path, headers, body) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    // A process that was paused while its coverage was taken may report its database as unavailable.
    if (text.includes('"retryable":true')) {
      await sleep(250);
      return post(path, headers, body);
    }
    if (!response.ok || text.includes('"errors"'))
      throw new Error(`${path} was answered with ${text}`);
    return JSON.parse(text);
  };
  let keys = 0;
  return {
    inspectorUrl,
    async createKey() {
      keys += 1;
      const path = '/admin/applications/Demo%20application/keys';
      const { key } = await post(path, { 'x-admin-key': adminKey }, { name: `search ${keys}` });
      return key;
    },
    async search(key, path, body) {
      const headers = { 'x-api-key': key, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
      const text = JSON.stringify(await post(path, headers, body));
      if (!text.includes(EMAIL)) throw new Error(`${path} did not find the contact: ${text}`);
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function readLine(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    stream.once('end', () => reject(new Error(`The product did not start:\n${text}`)));
  });
}

async function openInspector(url) {
  const socket = new WebSocket(url);
  const waiting = new Map();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const request = waiting.get(id);
    waiting.delete(id);
    if (error) request?.reject(new Error(error.message));
    else request?.resolve(result);
  });
  await once(socket, 'open');
  return {
    send(method, params = {}) {
      last += 1;
      socket.send(JSON.stringify({ id: last, method, params }));
      return new Promise((resolve, reject) => waiting.set(last, { resolve, reject }));
    },
    close: () => socket.close(),
  };
}

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const ROUNDS = 8;
const EMAIL = 'ada@example.com';
const SEARCHES = {
  GraphQL: {
    path: '/graphql',
    body: {
      query: `query ($email: String!) { searchContacts(filter: { email: $email }, first: 10) {
        nodes {
          id remoteId provider accountId ownerId firstName lastName
          addresses { addressType street1 street2 city state postalCode country }
          emailAddresses { emailAddress emailAddressType } phoneNumbers { phoneNumber phoneNumberType }
          lifecycleStage lastActivityAt createdAt updatedAt lastModifiedAt isDeleted
        }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount fetchedAt
      } }`,
      variables: { email: EMAIL },
    },
  },
  REST: { path: '/contacts/_search?page_size=10', body: { filter: { email: EMAIL } } },
};

if (relative(process.argv[1] ?? '', fileURLToPath(import.meta.url)) === '') {
  for (const [name, files] of Object.entries(await listSearchFiles())) {
    const lines = files.map((file, index) => `${String(index + 1).padStart(4)}  ${file}`);
    process.stdout.write(`${name}: ${files.length} files\n${lines.join('\n')}\n\n`);
  }
}
