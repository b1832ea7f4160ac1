import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * PostgreSQL refuses to run as root. There, the server runs as the owner of the data, else of the folder that holds it;
 * where that is root too, as a uid of its own. Undefined: this process is not root, and the server runs as it does.
 */
export function chooseUser(directory: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(directory) ?? ownerOf(dirname(directory)) ?? unusedUser();
}

/** `initdb` wants a user with a name. With a group that no other process has, this one shares nothing with its others. */
export function namedUserFor(user: User): User {
  const named = readUsers();
  if (named.has(user.uid)) return user;
  const [uid = 0] = [...named].filter((id) => id !== 0);
  if (uid === 0) throw new Error('PostgreSQL does not run as root, and /etc/passwd names no other user.');
  return { uid, gid: user.gid };
}

function ownerOf(path: string): User | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

/** From a range that systemd's list of uids leaves to nobody, below the 65,536 that a container's user namespace has. */
function unusedUser(): User {
  const taken = readUsers();
  for (;;) {
    const id = randomInt(60_578, 61_184);
    if (!taken.has(id)) return { uid: id, gid: id };
  }
}

function readUsers(): ReadonlySet<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return new Set(lines.filter((line) => line.includes(':')).map((line) => Number(line.split(':')[2])));
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}
