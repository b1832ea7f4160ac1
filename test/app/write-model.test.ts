import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { CREATE, openWritable, RESULT, UPDATE, UPSERT } from '../support/write-contacts.ts';

/** `CROSSBOOK_WRITE_BATCHES=5000` writes as many. */
const BATCHES = Number(process.env['CROSSBOOK_WRITE_BATCHES'] ?? 60);
const EMAILS = Array.from({ length: 40 }, (_, index) => `p${index}@model.example`);
const ALIASES = ['alias.1@model.example', 'alias.2@model.example'];
const COLORS = ['red', 'green', 'blue'];
const OWNER = {
  hubspot: { lastName: 'Owner' },
  salesforce: { lastName: 'Owner' },
  pipedrive: { firstName: 'Owner' },
};

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
  const sources = [
    { provider_name: 'hubspot', field: 'erp_number' },
    { provider_name: 'salesforce', field: 'Erp_Number__c' },
  ];
  const definitions = [{ name: 'erpNumber', type: 'text', sources }];
  const { status } = await crossbook.rest('PUT', '/custom_fields/company', { definitions });
  expect(status).toBe(200);
});
afterAll(() => crossbook.close());

/**
 * What a CRM has by the results of all writes, record by record: rules of the CRMs in their simplest form, written from
 * their documents and not from the adapters.
 */
class Model {
  readonly provider: string;
  readonly records = new Map<string, Row>();

  constructor(provider: string) {
    this.provider = provider;
  }

  /** The ids of the records that an upsert by this address may change. */
  idsOf(email: string): readonly string[] {
    const wanted = email.trim().toLowerCase();
    return [...this.records]
      .filter(([, row]) => row.email === wanted || row.aliases.includes(wanted))
      .map(([id]) => id);
  }

  apply(id: string, change: Change): void {
    const before = this.records.get(id) ?? { ...BLANK };
    const after = { ...before, ...change };
    const hasNames = 'firstName' in change || 'lastName' in change;
    const names = hasNames && this.provider === 'pipedrive' ? split(before, after) : {};
    this.records.set(id, { ...after, ...names });
  }
}

/** Pipedrive keeps the name as a whole, of which the first word is the first name. */
function split(before: Row, { firstName, lastName }: Row): Partial<Row> {
  const isTwice = before.lastName === null && firstName === before.firstName;
  const [first = null, ...rest] =
    isTwice && lastName === firstName
      ? [firstName]
      : [firstName, lastName].filter((part) => part !== null);
  return { firstName: first, lastName: rest.join(' ') || null };
}

describe.each(['hubspot', 'salesforce', 'pipedrive'] as const)(
  'Random writes to %s',
  (provider) => {
    // Each address of an upsert is a search in Pipedrive, of which it takes few in a second.
    const batches = provider === 'pipedrive' ? Math.ceil(BATCHES / 5) : BATCHES;
    const hasAliases = provider !== 'salesforce';

    test(`end in the state that their results claim, record by record, after ${batches} batches`, async () => {
      const color = {
        hubspot: 'favorite_color',
        salesforce: 'Favorite_Color__c',
        pipedrive: toFieldKey('favorite_color'),
      }[provider];
      const { run, account } = await openWritable(crossbook, {
        provider,
        customerId: `model ${provider}`,
        people: ALIASES.map((alias, index) => ({
          email: `owner.${index}@model.example`,
          secondaryEmails: hasAliases ? [alias] : [],
          ...OWNER[provider],
          custom: { favorite_color: 'red' },
        })),
      });
      account.setQuirks(
        {
          hubspot: {
            propertyTypes: {
              favorite_color: { type: 'enumeration', fieldType: 'select', options: COLORS },
            },
          },
          salesforce: {
            customFields: {
              Favorite_Color__c: { type: 'picklist', values: COLORS, isRestricted: true },
            },
          },
          pipedrive: { customFields: { favorite_color: { type: 'enum', options: COLORS } } },
        }[provider] as never,
      );
      const model = new Model(provider);
      for (const index of [1, 2])
        model.apply(account.recordId(index), {
          email: `owner.${index - 1}@model.example`,
          aliases: hasAliases ? [ALIASES[index - 1] ?? ''] : [],
          ...OWNER[provider],
          color: 'red',
        });
      const dice = createDice(SEED + provider.length);

      const toChanges = (): Change => ({
        ...(dice.chance(70) && { firstName: dice.chance(5) ? '' : `F${dice.next(5)}` }),
        ...(dice.chance(90) && { lastName: dice.chance(5) ? null : `L${dice.next(5)}` }),
        ...(dice.chance(40) && { color: dice.chance(10) ? 'purple' : dice.pick(COLORS) }),
        ...(dice.chance(20) && { phone: dice.chance(30) ? null : `+49 ${dice.next(100)}` }),
      });
      /** Options of Pipedrive have numbers. */
      const toOption = (value: string | null) =>
        provider === 'pipedrive' && value !== null ? String(COLORS.indexOf(value) + 1) : value;
      const toGiven = ({ color: value, phone, ...names }: Change) => ({
        ...names,
        ...(value !== undefined && { rawFields: { [color]: toOption(value) } }),
        ...(phone !== undefined && {
          phoneNumbers:
            phone === null ? null : [{ phoneNumber: phone, phoneNumberType: 'PRIMARY' }],
        }),
      });
      const pickEmail = () =>
        dice.chance(5) && hasAliases ? dice.pick(ALIASES) : dice.pick(EMAILS);

      /** One batch, and what of it has to be refused whatever else happens. */
      const writeBatch = async (isAlone: boolean) => {
        const verb = dice.pick(['upsert', 'upsert', 'create', 'update'] as const);
        const length = 1 + dice.next(12);
        const ids = [...model.records.keys()];
        const batch = Array.from({ length }, () => ({
          email: verb === 'create' && dice.chance(40) ? null : pickEmail(),
          remoteId: dice.chance(5) ? '999999' : dice.pick(ids),
          changes: toChanges(),
        }));
        const records = batch.map(({ email, remoteId, changes }) => {
          const given = toGiven(changes);
          if (verb === 'upsert') return { email, changes: given };
          if (verb === 'update') return { remoteId, changes: given };
          const emailAddresses = email && [{ emailAddress: email, emailAddressType: 'PRIMARY' }];
          return { changes: { ...given, ...(emailAddresses && { emailAddresses }) } };
        });
        const before = new Map(model.records);
        const query = { upsert: UPSERT, create: CREATE, update: UPDATE }[verb];
        const { results, errors }: Json = await run(query, { records });
        expect(errors).toBeUndefined();
        const texts = batch.map(({ email, remoteId }) => (verb === 'update' ? remoteId : email));
        for (const [index, { email, remoteId, changes }] of batch.entries()) {
          const { outcome, remoteId: id, problems } = results[index];
          const isTwice =
            verb !== 'create' && texts.filter((text) => text === texts[index]).length > 1;
          const isWrong =
            isTwice ||
            changes.firstName === '' ||
            changes.color === 'purple' ||
            (verb === 'update' && remoteId === '999999');
          if (isWrong) expect([index, outcome]).toEqual([index, 'REFUSED']);
          if (outcome === 'REFUSED') {
            expect(problems.length).toBeGreaterThan(0);
            continue;
          }
          expect(problems).toEqual([]);
          if (isAlone && verb === 'upsert') {
            const owners = new Set(
              [...before].filter(([, row]) => owns(row, email)).map(([one]) => one),
            );
            expect([outcome === 'CREATED', owners.size]).toEqual([owners.size === 0, owners.size]);
          }
          if (outcome === 'CREATED') expect(before.has(id)).toBe(!isAlone && before.has(id));
          if (outcome === 'UNCHANGED') continue;
          model.apply(id, {
            ...changes,
            ...(outcome === 'CREATED' && email && { email: email.toLowerCase() }),
          });
        }
        return results;
      };

      for (let count = 0; count < batches; count += 1) {
        await writeBatch(true);
        // HubSpot's addresses are unique, and an update never changes them here.
        if (provider === 'hubspot') {
          const emails = [...model.records.values()].flatMap(({ email }) => email ?? []);
          expect(new Set(emails).size).toBe(emails.length);
        }
      }
      const people = account.people.all().filter(({ isDeleted }) => !isDeleted);
      expect(
        people.map((person) => [account.recordId(person.index), toRow(person)]).sort(),
      ).toEqual([...model.records].sort());
      for (const id of model.records.keys()) expect(account.indexOf(id)).toBeGreaterThan(0);
    });

    test('of several writers at once leave one contact for each address in HubSpot, and each result is true', async () => {
      const { run, account } = await openWritable(crossbook, {
        provider,
        customerId: `concurrent ${provider}`,
        people: [],
      });
      const rounds = Math.max(3, Math.floor(batches / 20));
      for (let round = 0; round < rounds; round += 1) {
        const email = `c${round}@concurrent.example`;
        const payloads: Json[] = await Promise.all(
          ['A', 'B', 'C', 'D'].map((lastName) =>
            run(UPSERT, { records: [{ email, changes: { lastName } }] }),
          ),
        );
        const found = account.people.all().filter((person) => person.email === email);
        const outcomes = payloads.map(({ results }) => results[0]);
        const created = outcomes.filter(({ outcome }) => outcome === 'CREATED');
        // In Salesforce and Pipedrive, whose addresses are not unique, several may be created. Each says so.
        expect(found.length).toBe(created.length);
        if (provider === 'hubspot') expect(found).toHaveLength(1);
        const ids = new Set(found.map(({ index }) => account.recordId(index)));
        for (const { outcome, remoteId } of outcomes)
          if (outcome !== 'REFUSED') expect(ids).toContain(remoteId);
      }
    });
  },
);

const plain = (name: string, values: readonly string[], stored = name): ModelField => ({
  name,
  values,
  read: (row) => row[stored] || null,
});

const NAME = { ...plain('name', ['A', 'B', 'C', 'D']), isRequired: true, wrong: '' };
const KEPT = { isRequired: true, isKept: true } as const;
const KEPT_NAME = { ...NAME, ...KEPT };
const AMOUNT: ModelField = {
  ...plain('amount', ['10', '20.5', '1000000']),
  toGiven: (value) => value && { value },
};
const CLOSE_DATE: ModelField = {
  ...plain('closeDate', ['2026-01-31', '2026-02-28', '2026-12-31']),
  read: ({ closedate }) => closedate?.slice(0, 10) || null,
};
const NEXT_STEP = plain('nextStep', ['Call', 'Write'], 'nextstep');
const WEBSITE = plain('website', ['https://a.example', 'https://b.example']);

/** A stage by the id that is given, and the name that the tables of the simulation have. */
function toStage(
  stored: Readonly<Record<string, string>>,
  more: Partial<ModelField> = {},
): ModelField {
  const ids = Object.keys(stored);
  return {
    name: 'stageId',
    values: ids,
    wrong: 'nothing',
    read: ({ dealstage }) => ids.find((id) => stored[id] === dealstage) ?? null,
    ...more,
  };
}

function toTier(kind: 'company' | 'deal', provider: string): ModelField {
  const object = kind === 'company' ? 'organization' : 'deal';
  const field = { hubspot: 'tier', salesforce: 'Tier__c' }[provider] ?? toFieldKey('tier', object);
  return plain(`rawFields.${field}`, ['gold', 'silver'], 'tier');
}

const RECORD_MODELS = {
  hubspot: {
    company: [NAME, WEBSITE],
    deal: [
      NAME,
      AMOUNT,
      CLOSE_DATE,
      NEXT_STEP,
      toStage({ qualifiedtobuy: 'qualifiedtobuy', closedwon: 'closedwon', 161204502: '161204502' }),
    ],
  },
  salesforce: {
    company: [KEPT_NAME, WEBSITE],
    deal: [
      KEPT_NAME,
      AMOUNT,
      { ...CLOSE_DATE, ...KEPT },
      NEXT_STEP,
      toStage({ Qualification: 'Qualification', 'Closed Won': 'Closed Won' }, KEPT),
    ],
  },
  pipedrive: {
    company: [KEPT_NAME],
    deal: [
      KEPT_NAME,
      AMOUNT,
      CLOSE_DATE,
      toStage(
        { 11: 'appointmentscheduled', 12: 'qualifiedtobuy', 17: '161204502' },
        { isKept: true, initial: '11' },
      ),
    ],
  },
} as const;

const NOUNS = { company: 'Companies', deal: 'Deals' } as const;
/** By which companies are upserted. */
const ERP: ModelField = plain('erpNumber', [], 'erp_number');
const ERP_NUMBERS = Array.from({ length: 12 }, (_, index) => `C-${index}`);

describe.each(
  (['hubspot', 'salesforce', 'pipedrive'] as const).flatMap((provider) =>
    (['company', 'deal'] as const).map((kind) => [kind, provider] as const),
  ),
)('Random writes of the type %s to %s', (kind, provider) => {
  test(`end in the state that their results claim, record by record, after ${BATCHES} batches`, async () => {
    const { run, account } = await openWritable(crossbook, {
      provider,
      customerId: `model ${kind} ${provider}`,
      people: [],
      records: [kind],
    });
    const object = kind === 'company' ? 'Account' : 'Opportunity';
    account.setQuirks(
      {
        hubspot: {
          propertyTypes: {
            [`${kind}.tier`]: { type: 'string', fieldType: 'text' },
            'company.erp_number': { type: 'string', fieldType: 'text', hasUniqueValue: true },
          },
        },
        salesforce: {
          customFields: {
            [`${object}.Tier__c`]: { type: 'string' },
            'Account.Erp_Number__c': { type: 'string', isUnique: true },
          },
        },
        pipedrive: {},
      }[provider] as never,
    );
    // Pipedrive has a field once a record has a value of it.
    account.records.add(kind, { name: 'Start', tier: 'gold' });
    const untouched = new Set(account.records.all(kind).map(({ index }) => index));
    const given: readonly ModelField[] = [...RECORD_MODELS[provider][kind], toTier(kind, provider)];
    const hasUpsert = kind === 'company' && provider !== 'pipedrive';
    const fields = hasUpsert ? [...given, ERP] : given;
    const dice = createDice(SEED + provider.length + kind.length);
    const model = new Map<string, GivenValues>();
    const ownerOf = (erpNumber: string) =>
      [...model].find(([, row]) => row['erpNumber'] === erpNumber)?.[0];
    const toMutation = (verb: string) =>
      `mutation ($input: ${verb}${NOUNS[kind]}Input!) { ${verb.toLowerCase()}${NOUNS[kind]}(input: $input) { ${RESULT} } }`;

    const toChanges = (): GivenValues =>
      Object.fromEntries(
        given.flatMap(({ name, values, wrong, isRequired }) => {
          if (!dice.chance(isRequired ? 90 : 60)) return [];
          if (wrong !== undefined && dice.chance(4)) return [[name, wrong]];
          return [[name, dice.chance(10) ? null : dice.pick(values)]];
        }),
      );
    const toInput = (changes: GivenValues) => {
      const input: Record<string, unknown> = {};
      for (const { name, toGiven = (value: string | null) => value } of given) {
        if (!(name in changes)) continue;
        const [place = '', field] = name.split('.');
        const value = toGiven(changes[name] ?? null);
        input[place] = field === undefined ? value : { [field]: value };
      }
      return input;
    };

    for (let count = 0; count < BATCHES; count += 1) {
      const ids = [...model.keys()];
      const verb = dice.pick([
        ...(['Create', 'Update', 'Update'] as const),
        ...(hasUpsert ? (['Upsert'] as const) : []),
      ]);
      const batch = Array.from({ length: 1 + dice.next(6) }, () => ({
        remoteId: ids.length === 0 || dice.chance(5) ? '999999' : dice.pick(ids),
        erpNumber: dice.pick(ERP_NUMBERS),
        changes: toChanges(),
      }));
      const keys = batch.map(({ remoteId, erpNumber }, index) =>
        verb === 'Create' ? `new ${index}` : verb === 'Update' ? remoteId : erpNumber,
      );
      const records = batch.map(({ remoteId, erpNumber, changes }) => ({
        ...(verb === 'Update' && { remoteId }),
        ...(verb === 'Upsert' && { customField: 'erpNumber', value: erpNumber }),
        changes: toInput(changes),
      }));
      const owners = batch.map(({ remoteId, erpNumber }) =>
        verb === 'Create' ? undefined : verb === 'Update' ? remoteId : ownerOf(erpNumber),
      );
      const { results, errors }: Json = await run(toMutation(verb), { records });
      expect(errors).toBeUndefined();
      for (const [index, { erpNumber, changes }] of batch.entries()) {
        const { outcome, remoteId: id, problems, changedFields, warnings } = results[index];
        const before = model.get(owners[index] ?? '');
        const isNew = verb !== 'Update' && !before;
        const isWrong = given.some(({ name, wrong, isRequired, isKept }) => {
          const value = changes[name];
          if (wrong !== undefined && value === wrong) return true;
          return isNew ? isRequired && (value ?? null) === null : isKept && value === null;
        });
        const isTwice = keys.filter((key) => key === keys[index]).length > 1;
        const isRefused = isTwice || isWrong || (verb === 'Update' && !before);
        expect([count, index, outcome === 'REFUSED', problems.length > 0]).toEqual([
          ...[count, index, isRefused, isRefused],
        ]);
        if (isRefused) continue;
        // Of other companies with the same website.
        expect(warnings.filter(({ code }: Json) => code !== 'ALREADY_EXISTS')).toEqual([]);
        const differing = Object.keys(changes).filter(
          (name) => changes[name] !== (before?.[name] ?? null),
        );
        expect([count, index, outcome]).toEqual([
          ...[count, index],
          isNew ? 'CREATED' : differing.length > 0 ? 'UPDATED' : 'UNCHANGED',
        ]);
        expect([...changedFields].sort()).toEqual(differing.sort());
        const initial = fields.map((field) => [field.name, field.initial ?? null]);
        const set = Object.entries(changes).filter(([, value]) => !isNew || value !== null);
        model.set(id, {
          ...Object.fromEntries(initial),
          ...before,
          ...Object.fromEntries(set),
          ...(verb === 'Upsert' && { erpNumber }),
        });
      }
    }
    const written = account.records
      .all(kind)
      .filter(({ index, isDeleted }) => !untouched.has(index) && !isDeleted);
    expect(written.length).toBeGreaterThan(0);
    expect(
      written
        .map(({ index, values }) => [
          account.idOfRecord(kind, index),
          Object.fromEntries(fields.map(({ name, read }) => [name, read(values)])),
        ])
        .sort(),
    ).toEqual([...model].sort());
  });
});

/** The key of a custom field in the simulated Pipedrive. */
function toFieldKey(name: string, object = 'person'): string {
  return createHash('sha1').update(`sandbox pipedrive ${object} ${name}`).digest('hex');
}

function owns({ email, aliases }: Row, wanted: string | null): boolean {
  return wanted !== null && (email === wanted || aliases.includes(wanted));
}

function toRow({ firstName, lastName, email, secondaryEmails, custom, phone }: Json): Row {
  return {
    firstName: firstName || null,
    lastName: lastName || null,
    email: email || null,
    aliases: secondaryEmails,
    color: custom.favorite_color || null,
    phone: phone || null,
  };
}

const BLANK: Row = {
  firstName: null,
  lastName: null,
  email: null,
  aliases: [],
  color: null,
  phone: null,
};

interface Row {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly aliases: readonly string[];
  readonly color: string | null;
  readonly phone: string | null;
}

type Change = Partial<Row>;

/** By the names of fields, as they are given. */
type GivenValues = Readonly<Record<string, string | null>>;

/** How a field of companies or deals is given, and how the CRM keeps it. */
interface ModelField {
  /** The given name. */
  readonly name: string;
  readonly values: readonly string[];
  /** A new record needs a value. */
  readonly isRequired?: boolean;
  /** It cannot be cleared. */
  readonly isKept?: boolean;
  /** What a new record has that is given none. */
  readonly initial?: string;
  /** A value that is refused. */
  readonly wrong?: string;
  toGiven?(value: string | null): unknown;
  /** The value of a row of the CRM. */
  read(values: Readonly<Record<string, string | null>>): string | null;
}
