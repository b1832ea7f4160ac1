import { expect, test } from 'vitest';
import { createMessageCheck } from '../../src/lib/postgres-messages.ts';

function message(type: string, content: string, length = content.length + 4): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, Buffer.from(content, 'latin1')]);
}

const SESSION = Buffer.concat([
  message('R', '\0\0\0\x0aSCRAM-SHA-256\0\0'),
  message('R', '\0\0\0\x0br=x,s=y,i=4096'),
  message('R', '\0\0\0\x0cv=z'),
  message('R', '\0\0\0\0'),
  message('S', 'TimeZone\0UTC\0'),
  message('K', '12345678'),
  message('Z', 'I'),
  message('N', 'SNOTICE\0Mhello\0\0'),
  message('1', ''),
  message('D', `\0\x01${'x'.repeat(40_000)}`),
  message('E', 'SERROR\0\0'),
  message('E', '\0'),
  message('Z', 'I'),
]);

test.each([1, 2, 3, 7, 1_000, SESSION.length])(
  'the messages of a session are accepted in chunks of %i bytes',
  (size) => {
    const check = createMessageCheck();
    for (let at = 0; at < SESSION.length; at += size) check(SESSION.subarray(at, at + size));
  },
);

test.each([
  ['of a type that does not exist', message('!', '')],
  ['that is shorter than its length', message('Z', '', 3)],
  ['that is longer than it can be', message('Z', '', 30_001)],
  ['that no server can allocate', message('D', '', 2 ** 30 + 1)],
  ['with an error that has no fields and no end', message('E', '')],
  ['with an error that does not end', message('E', 'SERROR\0')],
  ['with a notice whose last field does not end', message('N', 'SNOTICE')],
  ['that continues SASL before it has begun', message('R', '\0\0\0\x0br=x')],
  [
    'that ends SASL before it was continued',
    Buffer.concat([message('R', '\0\0\0\x0aSCRAM-SHA-256\0\0'), message('R', '\0\0\0\x0cv=x')]),
  ],
  ['that authenticates again', Buffer.concat([message('Z', 'I'), message('R', '\0\0\0\0')])],
])('a message %s is refused, in one chunk and in many', (_, bytes) => {
  expect(() => createMessageCheck()(bytes)).toThrow('violated the PostgreSQL protocol');
  const check = createMessageCheck();
  expect(() => {
    for (const byte of bytes) check(Buffer.from([byte]));
  }).toThrow('violated the PostgreSQL protocol');
});
