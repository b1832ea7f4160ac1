import { describe, expect, test } from 'vitest';
import { toPerson } from '../../src/people.ts';
import { openDatabase } from '../../src/salesforce/data/database.ts';
import { salesforceSimulation } from '../../src/salesforce/simulation.ts';
import { executeQuery } from '../../src/salesforce/soql/execute.ts';
import { createTables } from './tables.ts';

const PEOPLE = [
  { firstName: 'Ada', lastName: 'Lovelace', email: 'Ada@Example.com', companyIndex: 1, phone: '1' },
  { firstName: 'Conan', lastName: "O'Brien", email: "o'brien@example.com" },
  { firstName: 'Under', lastName: 'Score', email: 'under_score@example.com', phone: '3' },
  { firstName: 'Underx', lastName: 'score', email: 'underxscore@example.com', phone: '3' },
  { firstName: 'Hundred', lastName: 'Percent', email: '100%@example.com' },
  { firstName: 'Back', lastName: 'Sl\\ash', email: 'back\\slash@example.com' },
  { firstName: null, lastName: 'Lovelace', email: null, isDeleted: true },
  {
    firstName: 'ada',
    lastName: 'Byron',
    email: 'ada@example.com',
    custom: { favorite_color: 'Teal' },
  },
];
const tables = createTables(
  PEOPLE.map((person, place) => toPerson(person, place + 1)),
  20,
);
const database = openDatabase(tables, salesforceSimulation.quirks);

/** A Friday. */
const NOW = Date.UTC(2026, 10, 20, 12);

function run(soql: string, includeDeleted = false) {
  return executeQuery(soql, { database, now: NOW, includeDeleted });
}

/** The first names of the rows that a condition matches. */
function names(condition: string, includeDeleted = false): unknown[] {
  const result = run(`SELECT FirstName FROM Contact ${condition}`, includeDeleted);
  return result.kind === 'rows' ? result.rows.map((row) => row['FirstName'] ?? null) : [];
}

describe('A SOQL condition', () => {
  test.each([
    ["WHERE Email = 'ADA@EXAMPLE.COM'", ['Ada', 'ada']],
    ["WHERE Email IN ('ada@example.com', 'o\\'brien@example.com')", ['Ada', 'Conan', 'ada']],
    ["WHERE Email NOT IN ('ada@example.com') AND Phone != null", ['Under', 'Underx']],
    ["WHERE Email LIKE 'under_score@%'", ['Under', 'Underx']],
    ["WHERE Email LIKE 'under\\_score@%'", ['Under']],
    ["WHERE Email LIKE '100\\%@example.com'", ['Hundred']],
    ["WHERE Email LIKE '%.COM' AND LastName LIKE 'S%'", ['Under', 'Underx', 'Back']],
    ["WHERE Email = 'back\\\\slash@example.com'", ['Back']],
    ["WHERE Email LIKE 'back\\\\\\\\slash%'", []],
    ["WHERE FirstName = '\\u0041da'", ['Ada', 'ada']],
    [
      "WHERE (FirstName = 'Ada' AND LastName = 'Byron') OR LastName = 'Score'",
      ['Under', 'Underx', 'ada'],
    ],
    ["WHERE FirstName = 'Ada' AND (LastName = 'Byron' OR LastName = 'Score')", ['ada']],
    ["WHERE (NOT Email LIKE '%a%')", []],
    ["WHERE NOT (Phone = '3' OR Phone = '1')", ['Conan', 'Hundred', 'Back', 'ada']],
    ["WHERE Account.Name LIKE '%' AND Contact.LastName > 'a'", ['Ada']],
    ["WHERE AccountId = null AND Favorite_Color__c = 'TEAL'", ['ada']],
    ["WHERE Phone = '' AND FirstName < 'b'", ['ada']],
    ['WHERE CreatedDate >= 2023-01-02T09:30:00Z AND LastActivityDate = null LIMIT 1', ['Ada']],
    ['WHERE CreatedDate > 2023-01-02T10:29:59+01:00 LIMIT 1 OFFSET 1', ['Conan']],
    ['WHERE IsDeleted = true', []],
  ])('%s', (condition, expected) => {
    expect(names(condition)).toEqual(expected);
  });

  test('matches deleted rows only on request', () => {
    expect(names('WHERE IsDeleted = true', true)).toEqual([null]);
    expect(names("WHERE LastName = 'lovelace'", true)).toEqual(['Ada', null]);
  });

  test('compares ids by their first fifteen characters, and orders them', () => {
    const id = run("SELECT Id FROM Contact WHERE LastName = 'Percent'");
    const percent = id.kind === 'rows' ? String(id.rows[0]?.['Id']) : '';
    expect(names(`WHERE Id = '${percent}'`)).toEqual(['Hundred']);
    expect(names(`WHERE Id IN ('${percent.slice(0, 15)}')`)).toEqual(['Hundred']);
    expect(names(`WHERE Id > '${percent}' ORDER BY Id LIMIT 2`)).toEqual(['Back', 'ada']);
    expect(names(`WHERE Id >= '${percent}' ORDER BY Id ASC LIMIT 1`)).toEqual(['Hundred']);
    expect(names(`WHERE Id < '${percent}' ORDER BY Id DESC LIMIT 2`)).toEqual(['Underx', 'Under']);
    expect(names(`WHERE Id <= '${percent}' AND Email LIKE '%o%' ORDER BY Id DESC LIMIT 2`)).toEqual(
      ['Hundred', 'Underx'],
    );
  });

  test('can be ordered by several fields, ignoring case, with nulls first by default', () => {
    expect(names('ORDER BY Phone, FirstName DESC LIMIT 5')).toEqual([
      'Hundred',
      'Conan',
      'Back',
      'ada',
      'Ada',
    ]);
    expect(names('ORDER BY Phone DESC NULLS LAST, LastName, Id DESC LIMIT 3')).toEqual([
      'Underx',
      'Under',
      'Ada',
    ]);
  });

  test('can be counted without returning rows', () => {
    expect(run('select count() from contact')).toEqual({ kind: 'count', total: 7 });
    expect(
      run('SELECT COUNT(Id), COUNT(Phone) phones, COUNT_DISTINCT(Phone) FROM Contact'),
    ).toMatchObject({
      rows: [{ expr0: 7, phones: 3, expr1: 2 }],
    });
  });
});

describe('An aggregate query', () => {
  const rowsOf = (soql: string) => {
    const result = run(soql);
    return result.kind === 'aggregates' ? result.rows : [];
  };

  test('has one row without GROUP BY, even for no records', () => {
    expect(rowsOf('SELECT MIN(LastName) least, MAX(LastName), COUNT(Email) FROM Contact')).toEqual([
      { least: 'Byron', expr0: 'Sl\\ash', expr1: 7 },
    ]);
    expect(rowsOf("SELECT COUNT(Id), MAX(CreatedDate) FROM Contact WHERE LastName = 'X'")).toEqual([
      { expr0: 0, expr1: null },
    ]);
  });

  test('computes sums and averages of numbers, and ignores missing ones', () => {
    const scores = ['1', '2', ''].map((score, place) =>
      toPerson({ lastName: `P${place}`, custom: { score } }, place + 1),
    );
    const numbers = openDatabase(createTables(scores), {
      ...salesforceSimulation.quirks,
      customFields: { Score__c: { type: 'double' } },
    });
    expect(
      executeQuery('SELECT SUM(Score__c) total, AVG(Score__c) FROM Contact', {
        database: numbers,
        now: NOW,
        includeDeleted: false,
      }),
    ).toMatchObject({ rows: [{ total: 3, expr0: 1.5 }] });
  });

  test('groups by values without regard to case, and orders groups by them, nulls first', () => {
    expect(rowsOf('SELECT LastName name, COUNT(Id) FROM Contact GROUP BY LastName')).toEqual([
      { name: 'Byron', expr0: 1 },
      { name: 'Lovelace', expr0: 1 },
      { name: "O'Brien", expr0: 1 },
      { name: 'Percent', expr0: 1 },
      { name: 'Score', expr0: 2 },
      { name: 'Sl\\ash', expr0: 1 },
    ]);
    expect(rowsOf('SELECT Phone, Account.Name FROM Contact GROUP BY Account.Name, Phone')).toEqual([
      { Phone: null, Name: null },
      { Phone: '3', Name: null },
      { Phone: '1', Name: expect.any(String) },
    ]);
  });

  test('filters groups by HAVING, and orders them by an aggregate', () => {
    const grouped = 'SELECT Phone, COUNT(Id) n FROM Contact GROUP BY Phone';
    expect(rowsOf(`${grouped} HAVING COUNT(Id) > 1 AND Phone != null`)).toEqual([
      { Phone: '3', n: 2 },
    ]);
    expect(rowsOf(`${grouped} ORDER BY COUNT(Id) DESC LIMIT 2`)).toEqual([
      { Phone: null, n: 4 },
      { Phone: '3', n: 2 },
    ]);
    expect(rowsOf(`${grouped} HAVING MAX(FirstName) LIKE 'und%'`)).toEqual([{ Phone: '3', n: 2 }]);
  });
});

describe('A subquery', () => {
  const accounts = (soql: string) => {
    const result = run(soql);
    return result.kind === 'rows' ? result.rows.map((row) => result.show(row, '66.0')) : [];
  };

  test('lists the records that refer to each record, or null', () => {
    const [first, second] = accounts(
      'SELECT Name, (SELECT FirstName FROM Contacts ORDER BY FirstName) FROM Account LIMIT 2',
    );
    expect(first).toMatchObject({
      Contacts: {
        totalSize: 1,
        done: true,
        records: [{ attributes: { type: 'Contact' }, FirstName: 'Ada' }],
      },
    });
    expect(second?.['Contacts']).toBeNull();
  });

  test('has its own conditions', () => {
    const [first] = accounts(
      "SELECT Id, (SELECT Id FROM Contacts c WHERE c.LastName = 'X') FROM Account LIMIT 1",
    );
    expect(first?.['Contacts']).toBeNull();
  });
});

describe('A date literal', () => {
  const day = 86_400_000;
  const dated = [-400, -40, -8, -1, 0, 1, 40].map((days, place) =>
    toPerson(
      { lastName: String(days), createdAt: NOW + days * day, lastActivityAt: NOW + days * day },
      place + 1,
    ),
  );
  const calendar = openDatabase(createTables(dated), salesforceSimulation.quirks);

  test.each([
    ['= TODAY', [0]],
    ['= yesterday', [-1]],
    ['> TODAY', [1, 40]],
    ['>= TODAY', [0, 1, 40]],
    ['< TODAY', [-400, -40, -8, -1]],
    ['<= TODAY', [-400, -40, -8, -1, 0]],
    ['!= LAST_N_DAYS:40', [-400, 1, 40]],
    ['= NEXT_N_DAYS:1', [1]],
    ['= N_DAYS_AGO:8', [-8]],
    ['= LAST_WEEK', [-8]],
    ['= THIS_WEEK', [-1, 0, 1]],
    ['= LAST_N_WEEKS:6', [-40, -8]],
    ['= THIS_MONTH', [-8, -1, 0, 1]],
    ['= LAST_MONTH', [-40]],
    ['= N_MONTHS_AGO:1', [-40]],
    ['= NEXT_N_MONTHS:2', [40]],
    ['= THIS_QUARTER', [-40, -8, -1, 0, 1, 40]],
    ['= LAST_FISCAL_QUARTER', []],
    ['= THIS_YEAR', [-40, -8, -1, 0, 1, 40]],
    ['= LAST_N_YEARS:1', [-400]],
    ['= LAST_90_DAYS', [-40, -8, -1, 0]],
  ])('%s of a date and of a datetime', (condition, days) => {
    for (const field of ['CreatedDate', 'LastActivityDate']) {
      const result = executeQuery(`SELECT LastName FROM Contact WHERE ${field} ${condition}`, {
        database: calendar,
        now: NOW,
        includeDeleted: false,
      });
      const found = result.kind === 'rows' ? result.rows.map((row) => Number(row['LastName'])) : [];
      expect(found).toEqual(days);
    }
  });
});

describe('Invalid SOQL', () => {
  const refusal = (soql: string): { errorCode: string; message: string } => {
    try {
      run(soql);
    } catch (error) {
      return error as { errorCode: string; message: string };
    }
    return { errorCode: 'none', message: '' };
  };

  test.each([
    ["SELECT Id FROM Contact WHERE Email = 'a\\.b'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'a\\_b'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email LIKE 'a\\-b'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'a\\u00g0'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'o'brien'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'open", 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE Email = "double"', 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'a' OR Phone = 'b' AND Fax = 'c'", 'MALFORMED_QUERY'],
    ["SELECT Id FROM Contact WHERE Email = 'a' AND NOT Phone = 'b'", 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE Email IN ()', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact LIMIT -1', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact GROUP BY Email', 'MALFORMED_QUERY'],
    ['SELECT COUNT(Id), Email FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT COUNT() FROM Contact GROUP BY Email', 'MALFORMED_QUERY'],
    ['SELECT Email FROM Contact GROUP BY Email ORDER BY LastName', 'MALFORMED_QUERY'],
    ['SELECT Email FROM Contact GROUP BY Email HAVING LastName = null', 'MALFORMED_QUERY'],
    ['SELECT SUM(LastName) FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT CreatedDate FROM Contact GROUP BY CreatedDate', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE COUNT(Id) = 1', 'MALFORMED_QUERY'],
    ['SELECT Email address FROM Contact', 'MALFORMED_QUERY'],
    ['SELECT Id, (SELECT COUNT() FROM Contacts) FROM Account', 'MALFORMED_QUERY'],
    [`SELECT ${'(SELECT '.repeat(9_000)}`, 'MALFORMED_QUERY'],
    ['SELECT Id, (SELECT Id FROM Friends) FROM Account', 'INVALID_TYPE'],
    ['SELECT Id FROM Contact WHERE CreatedDate = LAST_N_DAYS', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE CreatedDate = TODAY:1', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE CreatedDate = SOMEDAY', 'MALFORMED_QUERY'],
    ['SELECT Id FROM Contact WHERE LastName = TODAY', 'INVALID_FIELD'],
    ['SELECT COUNT(Id) FROM Contact LIMIT 1', 'MALFORMED_QUERY'],
    ['SELECT FIELDS(ALL) FROM Contact', 'MALFORMED_QUERY'],
    [`SELECT Id FROM Contact WHERE Email = '${'a'.repeat(4_001)}'`, 'MALFORMED_QUERY'],
    [`SELECT Id FROM Contact${' '.repeat(100_000)}`, 'MALFORMED_QUERY'],
    [
      `SELECT Id FROM Contact WHERE ${'('.repeat(200)}Id = null${')'.repeat(200)}`,
      'QUERY_TOO_COMPLICATED',
    ],
    ['SELECT Id, Id FROM Contact', 'INVALID_FIELD'],
    ['SELECT Owner.Shoe FROM Contact', 'INVALID_FIELD'],
    ['SELECT Boss.Name FROM Contact', 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE IsDeleted = 'false'", 'INVALID_FIELD'],
    ['SELECT Id FROM Contact WHERE CreatedDate > 2024-01-01', 'INVALID_FIELD'],
    ['SELECT Id FROM Contact WHERE MailingAddress = null', 'INVALID_FIELD'],
    ['SELECT Id FROM Contact ORDER BY MailingAddress', 'INVALID_FIELD'],
    ["SELECT Id FROM Contact WHERE Id = '003'", 'INVALID_QUERY_FILTER_OPERATOR'],
    ["SELECT Id FROM Contact WHERE Id LIKE '003%'", 'INVALID_QUERY_FILTER_OPERATOR'],
    [
      'SELECT Id FROM Contact WHERE CreatedDate > 2023-02-30T00:00:00Z',
      'INVALID_QUERY_FILTER_OPERATOR',
    ],
    ['SELECT Id FROM Person', 'INVALID_TYPE'],
    ['SELECT Id FROM Contact OFFSET 2001', 'NUMBER_OUTSIDE_VALID_RANGE'],
  ])('%.70s gives %s', (soql, errorCode) => {
    expect(refusal(soql).errorCode).toBe(errorCode);
  });

  test('is reported with line and column', () => {
    expect(refusal('SELECT Id\nFROM Contact\nWHERE Shoe = 1').message).toMatch(
      /^\nWHERE Shoe = 1\n {6}\^\nERROR at Row:3:Column:7\nNo such column 'Shoe' on entity 'Contact'/,
    );
  });
});
