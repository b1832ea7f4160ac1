const LIVEZ = 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n';
const POST = 'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';
const BODY = '{"query":"{__typename}"}';
const SIZED = `content-length: ${BODY.length}\r\n\r\n${BODY}`;
/** Where it is answered the connection ends. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n';

/** Requests as they go over the wire, one character a byte, and the statuses that come back before the connection ends. */
export const BYTES: readonly BytesKind[] = [
  {
    gets: /^200$/,
    lines: {
      'a request': `${LIVEZ}connection: close\r\n\r\n`,
      'a line end before it': `\r\n${LIVEZ}connection: close\r\n\r\n`,
      'an upgrade': `${LIVEZ}connection: upgrade, close\r\nupgrade: h2c\r\n\r\n`,
    },
  },
  {
    gets: /^200,200$/,
    lines: {
      'two requests, one behind the other': `${LIVEZ}\r\n${LIVEZ}connection: close\r\n\r\n`,
    },
  },
  {
    gets: /^400$/,
    lines: {
      'no host': 'GET /livez HTTP/1.1\r\n\r\n',
      'two hosts': `${LIVEZ}host: elsewhere\r\nconnection: close\r\n\r\n`,
      'the same host twice': `${LIVEZ}host: 127.0.0.1\r\nconnection: close\r\n\r\n`,
      'a host that is no name': 'GET /livez HTTP/1.1\r\nhost: a b/\\\r\nconnection: close\r\n\r\n',
      'a host with a user': 'GET /livez HTTP/1.1\r\nhost: user@127.0.0.1\r\nconnection: close\r\n\r\n',
      'a host with a path': 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1/x\r\nconnection: close\r\n\r\n',
      'a whole address of another host': `GET http://elsewhere/livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`,
      'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      TLS: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
      'a method that nobody knows': `BREW /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
      'a length and chunks': `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'two lengths': `${POST}content-length: 0\r\ncontent-length: 60\r\n\r\n${SMUGGLED}`,
      'a length with a sign': `${POST}content-length: +0\r\n\r\n${SMUGGLED}`,
      'a length that is negative': `${POST}content-length: -1\r\n\r\n${SMUGGLED}`,
      'a length beyond all numbers': `${POST}content-length: 99999999999999999999\r\n\r\n${BODY}`,
      'another transfer encoding': `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'chunked that is not the last': `${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'chunked twice': `${POST}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'a blank before the colon': `${POST}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'a folded header': `${POST}x-a: b\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'a chunk size that is none': `${POST}transfer-encoding: chunked\r\n\r\n0x5\r\n${SMUGGLED}`,
      'a chunk size beyond all numbers': `${POST}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n${SMUGGLED}`,
      'a chunk that ends elsewhere': `${POST}transfer-encoding: chunked\r\n\r\n1\r\nZZ\r\n0\r\n\r\n${SMUGGLED}`,
      'a NUL in a header': `${LIVEZ}connection: close\r\nx-a: b\u0000c\r\n\r\n`,
      'a return in a header': `${LIVEZ}connection: close\r\nx-a: b\rc\r\n\r\n`,
    },
  },
  {
    gets: /^417$/,
    lines: {
      'an expectation that nobody knows': `${POST}expect: the-best\r\nconnection: close\r\n${SIZED}`,
    },
  },
  {
    gets: /^413$/,
    staysOpen: true,
    lines: {
      'a length of a terabyte': `${POST}content-length: 1099511627776\r\n\r\n${BODY}`,
    },
  },
  {
    gets: /^(400|413|431)$/,
    lines: {
      'a chunk extension of 100 KB': `${POST}transfer-encoding: chunked\r\n\r\n1;${'x'.repeat(100_000)}\r\n{\r\n0\r\n\r\n`,
      'trailers of 100 KB': `${POST}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${'x-a: b\r\n'.repeat(13_000)}\r\n`,
    },
  },
  {
    gets: /^(431)?$/,
    lines: {
      'ten thousand headers': `${LIVEZ}${Array.from({ length: 10_000 }, (_, n) => `x-${n}: 1\r\n`).join('')}\r\n`,
      'a header of a megabyte': `${LIVEZ}x-long: ${'x'.repeat(1_000_000)}\r\n\r\n`,
      'an address of a megabyte': `GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
    },
  },
  {
    gets: /^(200|401)$/,
    lines: {
      'a key of 10 KB': `${POST}x-api-key: ${'k'.repeat(10_000)}\r\nconnection: close\r\n${SIZED}`,
    },
  },
  {
    gets: /^(200|400)$/,
    lines: {
      'no protocol': 'GET /livez\r\n\r\n',
      'GET with a body of one byte': `GET /graphql?query={__typename} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx`,
      'GET with a body of no chunks': `GET /graphql?query={__typename} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      'a text that is no UTF-8': `${POST}connection: close\r\ncontent-length: 24\r\n\r\n{"query":"{__type\u00ff\u00fe\u00c0e}"}`,
    },
  },
  {
    gets: /^((400|404|405))?$/,
    lines: {
      'a tunnel': 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n',
    },
  },
  {
    gets: /^415$/,
    lines: {
      'a body in gzip': `${POST}content-encoding: gzip\r\nconnection: close\r\n${SIZED}`,
    },
  },
  {
    gets: /^415$/,
    lines: {
      'UTF-16': `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json;charset=utf-16\r\nconnection: close\r\n${SIZED}`,
      'a form': `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\nconnection: close\r\n${SIZED}`,
    },
  },
  {
    gets: /^((400|408))?$/,
    ends: true,
    lines: {
      'half a request, and then the end': `${POST}content-length: 5000\r\n\r\n{"query":`,
    },
  },
];

export interface BytesKind {
  /** The statuses, with commas between. Of what is still being sent, a closed door may be met before the answer is read. */
  readonly gets: RegExp;
  /** The rest of what was announced is waited for: the answer comes before. */
  readonly staysOpen?: boolean;
  /** The sender closes its side. */
  readonly ends?: boolean;
  readonly lines: Readonly<Record<string, string>>;
}
