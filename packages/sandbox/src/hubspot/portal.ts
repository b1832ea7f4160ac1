import { notFound } from './errors.ts';
import {
  allProperties,
  findProperty,
  type PropertyDefinition,
  STAGES,
} from './property-definitions.ts';
import { dailyUse } from './rate-limits.ts';
import type { EndpointContext, Reply } from './types.ts';

/** The account information of a portal: details, API usage, properties. */
export function readDetails({ account }: EndpointContext): Reply {
  return {
    status: 200,
    body: {
      portalId: Number(account.id),
      accountType: 'STANDARD',
      timeZone: 'UTC',
      companyCurrency: account.quirks.companyCurrency,
      additionalCurrencies: account.quirks.additionalCurrencies,
      utcOffset: '+00:00',
      utcOffsetMilliseconds: 0,
      uiDomain: 'app.hubspot.com',
      dataHostingLocation: 'na1',
    },
  };
}

export function readIntegration({ account }: EndpointContext): Reply {
  const portalId = Number(account.id);
  return {
    status: 200,
    body: {
      portalId,
      timeZone: 'UTC',
      accountType: 'STANDARD',
      currency: account.quirks.companyCurrency,
    },
  };
}

export function readDailyUse({ account, call }: EndpointContext): Reply {
  const usageLimit = account.limits?.perDay ?? 0;
  const day = 86_400_000;
  return {
    status: 200,
    body: {
      results: [
        {
          name: 'private-apps-api-calls-daily',
          usageLimit,
          currentUsage: dailyUse(account, call.now),
          fetchStatus: 'SUCCESS',
          collectedAt: new Date(call.now).toISOString(),
          resetsAt: new Date((Math.floor(call.now / day) + 1) * day).toISOString(),
        },
      ],
    },
  };
}

export function listProperties({ account, call }: EndpointContext): Reply {
  // Sensitive properties are a separate list.
  const isSensitive = /^(?:highly_)?sensitive$/.test(
    call.request.query.get('dataSensitivity') ?? '',
  );
  return { status: 200, body: { results: listDescribed(account, isSensitive) } };
}

export function listDescribed(
  account: EndpointContext['account'],
  isSensitive = false,
): readonly object[] {
  return allProperties(account)
    .filter((property) => (property.isSensitive ?? false) === isSensitive)
    .map(describe);
}

export function readProperty({ account, parts }: EndpointContext): Reply {
  const property = findProperty(account, parts[1] ?? '');
  if (property === undefined) throw notFound();
  return { status: 200, body: describe(property) };
}

export function describe(property: PropertyDefinition): object {
  const {
    name,
    label,
    type,
    fieldType,
    calculated,
    readOnly,
    options = [],
    isOwn = false,
  } = property;
  return {
    updatedAt: '2024-01-17T19:55:04.281Z',
    createdAt: '2019-08-06T02:41:52.241Z',
    name,
    label,
    type,
    fieldType,
    description: property.description ?? '',
    groupName: 'contactinformation',
    options: (name === 'lifecyclestage'
      ? STAGES
      : options.map((one) => [one, property.optionLabels?.[one] ?? one] as const)
    ).map(describeOption),
    displayOrder: -1,
    calculated,
    externalOptions: property.externalOptions ?? property.referencedObjectType !== undefined,
    ...(property.referencedObjectType !== undefined && {
      referencedObjectType: property.referencedObjectType,
    }),
    archived: false,
    hasUniqueValue: property.hasUniqueValue ?? false,
    hidden: property.hidden ?? false,
    hubspotDefined: !isOwn,
    formField: !readOnly,
    modificationMetadata: {
      archivable: isOwn,
      readOnlyDefinition: !isOwn,
      readOnlyValue: readOnly || calculated,
    },
  };
}

function describeOption([value, label]: readonly [string, string], displayOrder: number): object {
  return { label, value, displayOrder, hidden: false };
}
