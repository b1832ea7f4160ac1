import { describe, expect, test } from 'vitest';
import { checkInstanceUrl } from '../../src/domain/urls.ts';

const SALESFORCE = [
  /^[a-z0-9-]+(\.[a-z0-9-]+)?\.my\.salesforce\.(com|mil)$/,
  /^[a-z0-9-]+(\.[a-z0-9-]+)?\.my\.sfcrmproducts\.cn$/,
];
// Without anchors on purpose: the check itself has to hold the whole host against it.
const HUBSPOT = [/app(-[a-z0-9]+)?\.hubspot\.com/];

const rules = {
  hosts: [...SALESFORCE, ...HUBSPOT],
  sandboxOrigins: ['http://127.0.0.1:4010', 'http://localhost:4011'],
};

const SELF = 'as given';

describe('an accepted instance URL', () => {
  test.each([
    ['https://acme.my.salesforce.com', SELF],
    ['https://acme.my.salesforce.com/', 'https://acme.my.salesforce.com'],
    ['https://ACME.My.SalesForce.com', 'https://acme.my.salesforce.com'],
    ['HTTPS://acme.my.salesforce.com', 'https://acme.my.salesforce.com'],
    ['https://acme.my.salesforce.com:443', 'https://acme.my.salesforce.com'],
    ['https://acme--dev.sandbox.my.salesforce.com', SELF],
    ['https://acme--dev.my.salesforce.com', SELF],
    ['https://acme--dev.cs12.my.salesforce.com', SELF],
    ['https://acme.develop.my.salesforce.com', SELF],
    ['https://acme.scratch.my.salesforce.com', SELF],
    ['https://acme.demo.my.salesforce.com', SELF],
    ['https://acme.free.my.salesforce.com', SELF],
    ['https://acme.patch.my.salesforce.com', SELF],
    ['https://acme.trailblaze.my.salesforce.com', SELF],
    ['https://acme-7.my.salesforce.com', SELF],
    ['https://0.my.salesforce.com', SELF],
    ['https://acme.my.salesforce.mil', SELF],
    ['https://acme--sb.sandbox.my.salesforce.mil', SELF],
    ['https://acme.my.sfcrmproducts.cn', SELF],
    ['https://acme.my.salesforce.com/services', SELF],
    ['https://app.hubspot.com/contacts/123', SELF],
    ['https://app.hubspot.com/contacts/123/', SELF],
    ['https://app-eu1.hubspot.com/contacts/123', SELF],
    ['https://app-na2.hubspot.com/contacts/123', SELF],
    ['https://app.hubspot.com', SELF],
    ['https://app.hubspot.com/a/../contacts/123', 'https://app.hubspot.com/contacts/123'],
    ['http://127.0.0.1:4010', SELF],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    ['http://127.0.0.1:4010/contacts/123', SELF],
    ['http://localhost:4011', SELF],
  ])('%s', (text, kept) => {
    expect(checkInstanceUrl(text, rules)).toMatchObject({ url: kept === SELF ? text : kept });
  });

  test('a punycode label is accepted exactly if the pattern matches it', () => {
    expect(checkInstanceUrl('https://xn--bcher-kva.my.salesforce.com', rules)).toHaveProperty(
      'url',
    );
    expect(checkInstanceUrl('https://xn--bcher-kva.hubspot.com', rules)).toHaveProperty('problem');
  });

  test('the origin of an instance URL is the allowed target of its token', () => {
    expect(checkInstanceUrl('https://app-eu1.hubspot.com/contacts/1', rules)).toMatchObject({
      origin: 'https://app-eu1.hubspot.com',
    });
  });
});

describe('a rejected instance URL', () => {
  test.each([
    // not the scheme
    'http://acme.my.salesforce.com',
    'ftp://acme.my.salesforce.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'gopher://acme.my.salesforce.com',
    'https:acme.my.salesforce.com',
    'https:/acme.my.salesforce.com',
    'https:///acme.my.salesforce.com',
    '//acme.my.salesforce.com',
    'acme.my.salesforce.com',
    '',
    // user info in front of the host
    'https://user@acme.my.salesforce.com',
    'https://user:secret@acme.my.salesforce.com',
    'https://acme.my.salesforce.com@evil.example',
    'https://acme.my.salesforce.com:443@evil.example',
    'https://@acme.my.salesforce.com',
    'https://evil.example%40acme.my.salesforce.com',
    // another port
    'https://acme.my.salesforce.com:8443',
    'https://acme.my.salesforce.com:80',
    'https://acme.my.salesforce.com:0443',
    'https://acme.my.salesforce.com:',
    'https://acme.my.salesforce.com:443:443',
    'https://acme.my.salesforce.com:99999',
    // dots and labels
    'https://acme.my.salesforce.com.',
    'https://acme.my.salesforce.com..',
    'https://.my.salesforce.com',
    'https://acme..my.salesforce.com',
    'https://-acme.my.salesforce.com',
    'https://my.salesforce.com',
    'https://a.b.c.my.salesforce.com',
    'https://a_b.my.salesforce.com',
    'https://*.my.salesforce.com',
    `https://${'a'.repeat(64)}.my.salesforce.com`,
    // look-alikes
    'https://evilmy.salesforce.com',
    'https://evilmy.salesforce.com.example',
    'https://acme.my.salesforce.com.evil.example',
    'https://acmemy.salesforce.com',
    'https://acme.my-salesforce.com',
    'https://acme.my.salesforce.co',
    'https://acme.my.salesforce.community',
    'https://acme.lightning.force.com',
    'https://acme.my.site.com',
    'https://evilcrmforce.mil',
    'https://login.salesforce.com',
    'https://app.hubspot.com.evil.example',
    'https://evilapp.hubspot.com',
    'https://api.hubapi.com',
    'https://apphubspot.com',
    'https://app-.hubspot.com',
    'https://evil.example/acme.my.salesforce.com',
    'https://evil.example/https://acme.my.salesforce.com',
    'https://evil.example?.my.salesforce.com',
    'https://evil.example#.my.salesforce.com',
    'https://evil.example\\.my.salesforce.com',
    'https://evil.example\\@acme.my.salesforce.com',
    'https://acme.my.salesforce.com\\evil.example',
    // other scripts and escapes
    'https://acmé.my.salesforce.com',
    'https://аcme.my.salesforce.com',
    'https://acme.my.salesforce。com',
    'https://acme.my.ｓalesforce.com',
    'https://acme.my.sale\u00adsforce.com',
    'https://%61cme.my.salesforce.com',
    'https://acme%2emy.salesforce.com',
    'https://acme.my.salesforce.com%00.evil.example',
    'https://acme.my.salesforce.com%2f.evil.example',
    // white space and controls
    ' https://acme.my.salesforce.com',
    'https://acme.my.salesforce.com ',
    'https://acme.my.sales\tforce.com',
    'https://acme.my.salesforce.com\n',
    'https://acme.my.salesforce.com\r\nx-evil: 1',
    'https://acme.my.salesforce.com\u0000',
    // addresses, in every spelling
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0177.0.0.1',
    'https://0x7f.0.0.1',
    'https://0x7f000001',
    'https://0.0.0.0',
    'https://0',
    'https://10.0.0.1',
    'https://169.254.169.254/latest/meta-data',
    'https://100.100.100.200',
    'https://１２７.0.0.1',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[64:ff9b::7f00:1]',
    'https://[2002:7f00:1::]',
    'https://[fe80::1%25eth0]',
    'https://[fd00:ec2::254]',
    'https://localhost',
    'https://localhost.',
    'https://metadata.google.internal',
    // a query or a fragment
    'https://acme.my.salesforce.com?x=1',
    'https://acme.my.salesforce.com/?x=1',
    'https://acme.my.salesforce.com/#x',
    'https://app.hubspot.com/contacts/1?next=2',
    // nearly the sandbox
    'http://127.0.0.1:4012',
    'http://127.0.0.1',
    'https://127.0.0.1:4010',
    'http://127.1:4010',
    'http://2130706433:4010',
    'http://localhost:4010',
    'http://user@127.0.0.1:4010',
    'http://127.0.0.1:4010@evil.example',
    'http://127.0.0.1:4010.evil.example',
    'http://127.0.0.1:4010?x',
    `https://acme.my.salesforce.com/${'a'.repeat(2_048)}`,
  ])('%j', (text) => {
    expect(checkInstanceUrl(text, rules)).toEqual({ problem: expect.any(String) });
  });

  test('for a provider without an instance URL only the sandbox is accepted', () => {
    const none = { ...rules, hosts: [] };
    expect(checkInstanceUrl('https://acme.my.salesforce.com', none)).toHaveProperty('problem');
    expect(checkInstanceUrl('http://127.0.0.1:4010', none)).toHaveProperty('url');
  });

  test('without a sandbox its URL is rejected', () => {
    expect(
      checkInstanceUrl('http://127.0.0.1:4010', { ...rules, sandboxOrigins: [] }),
    ).toHaveProperty('problem');
  });
});
