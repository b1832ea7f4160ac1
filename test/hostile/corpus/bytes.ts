const LIVEZ = 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n';
const POST = 'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';
const BODY = '{"query":"{__typename}"}';
const SIZED = `content-length: ${BODY.length}\r\n\r\n${BODY}`;
/** A response to this ends the connection. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n';

/** Requests as raw bytes, one per character, and the statuses of the responses before the connection ends. */
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
      'an invalid host': 'GET /livez HTTP/1.1\r\nhost: a b/\\\r\nconnection: close\r\n\r\n',
      'an empty host': 'GET /livez HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n',
      'a backslash in the path':
        'GET /connect\\..\\metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      'a segment of dots':
        'GET /connect/../metrics HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      'an encoded segment of dots':
        'GET /customers/%2e%2E/admin/applications HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      'an absolute URL of another scheme':
        'GET ftp://127.0.0.1/livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
      'a host with userinfo':
        'GET /livez HTTP/1.1\r\nhost: user@127.0.0.1\r\nconnection: close\r\n\r\n',
      'a host with a path': 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1/x\r\nconnection: close\r\n\r\n',
      'an absolute URL of another host': `GET http://elsewhere/livez HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`,
      'another protocol': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      TLS: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
      'an unknown method': `BREW /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
      'Content-Length and Transfer-Encoding': `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'two lengths': `${POST}content-length: 0\r\ncontent-length: 60\r\n\r\n${SMUGGLED}`,
      'a signed Content-Length': `${POST}content-length: +0\r\n\r\n${SMUGGLED}`,
      'a negative Content-Length': `${POST}content-length: -1\r\n\r\n${SMUGGLED}`,
      'a Content-Length beyond 64 bits': `${POST}content-length: 99999999999999999999\r\n\r\n${BODY}`,
      'an unknown transfer encoding': `${POST}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'chunked that is not the last encoding': `${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'chunked twice': `${POST}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'a space before the colon': `${POST}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'a folded header': `${POST}x-a: b\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
      'an invalid chunk size': `${POST}transfer-encoding: chunked\r\n\r\n0x5\r\n${SMUGGLED}`,
      'a chunk size beyond 64 bits': `${POST}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n${SMUGGLED}`,
      'a chunk longer than its size': `${POST}transfer-encoding: chunked\r\n\r\n1\r\nZZ\r\n0\r\n\r\n${SMUGGLED}`,
      'a NUL in a header': `${LIVEZ}connection: close\r\nx-a: b\u0000c\r\n\r\n`,
      'a bare CR in a header': `${LIVEZ}connection: close\r\nx-a: b\rc\r\n\r\n`,
    },
  },
  {
    gets: /^417$/,
    lines: {
      'an unknown Expect header': `${POST}expect: the-best\r\nconnection: close\r\n${SIZED}`,
    },
  },
  {
    gets: /^413$/,
    staysOpen: true,
    lines: {
      'a Content-Length of a terabyte': `${POST}content-length: 1099511627776\r\n\r\n${BODY}`,
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
      'a URL of a megabyte': `GET /${'x'.repeat(1_000_000)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
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
      'invalid UTF-8': `${POST}connection: close\r\ncontent-length: 24\r\n\r\n{"query":"{__type\u00ff\u00fe\u00c0e}"}`,
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
      'half a request, and then a half-close': `${POST}content-length: 5000\r\n\r\n{"query":`,
    },
  },
];

export interface BytesKind {
  /**
   * The statuses, separated by commas. While a request is still being sent, a closed connection can be seen before
   * the response.
   */
  readonly gets: RegExp;
  /** The rest of the announced body is never sent: the response must come before it. */
  readonly staysOpen?: boolean;
  /** The sender half-closes the connection. */
  readonly ends?: boolean;
  readonly lines: Readonly<Record<string, string>>;
}
