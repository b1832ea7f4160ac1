import * as z from 'zod';
import type { CustomerAccount } from '../../domain/provider.ts';
import {
  type DealStatus,
  MAX_PIPELINES,
  MAX_STAGES,
  type Pipeline,
  type Stage,
} from '../../domain/records/pipeline.ts';
import { ACCOUNT_PATH, get, OBJECTS, optionalText, parseResponse, toResults } from './call.ts';

/** The pipelines of deals in their order, with their stages. Those that are archived still have labels for old deals. */
export function readPipelines(
  account: CustomerAccount,
  maxAgeMs?: number,
): Promise<readonly Pipeline[]> {
  return account.remember('pipelines', () => fetchPipelines(account), maxAgeMs);
}

async function fetchPipelines(account: CustomerAccount): Promise<readonly Pipeline[]> {
  const answer = await get(account, `${OBJECTS.pipelines}/deals`);
  const results = parseResponse(toResults, answer);
  return inOrder(results, wirePipeline)
    .slice(0, MAX_PIPELINES)
    .map(({ id, label, stages }) => ({
      id,
      label: label ?? id,
      stages: inOrder(stages ?? [], wireStage)
        .slice(0, MAX_STAGES)
        .map(toStage),
    }));
}

/** The currency of amounts that name none. */
export async function readCurrency(account: CustomerAccount): Promise<string | null> {
  const { currency } = await account.remember('currency', async () => {
    const answer = await get(account, ACCOUNT_PATH);
    const details = parseResponse((json) => wireDetails.safeParse(json).data, answer);
    return { currency: details.companyCurrency ?? null };
  });
  return currency;
}

function toStage({ id, label, metadata }: z.infer<typeof wireStage>): Stage {
  const { probability, isClosed } = metadata ?? {};
  const chance = toProbability(probability);
  return {
    id,
    label: label ?? id,
    status: toStatus({ isClosed: isClosed === 'true', chance }),
    probability: chance,
  };
}

/** A stage is won at 1.0. A closed one is lost otherwise. */
function toStatus({ isClosed, chance }: StageState): DealStatus {
  if (chance === 1) return 'won';
  return isClosed ? 'lost' : 'open';
}

/** A number from 0 to 1, which HubSpot sends as text. */
export function toProbability(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return number >= 0 && number <= 1 ? number : null;
}

/** Whatever is no such object is left out. */
function inOrder<Item extends Ordered>(list: readonly unknown[], wire: z.ZodType<Item>): Item[] {
  return list
    .flatMap((one) => wire.safeParse(one).data ?? [])
    .sort((one, other) => (one.displayOrder ?? 0) - (other.displayOrder ?? 0));
}

const optionalNumber = z.number().nullish().catch(null);

const wireStage = z.object({
  id: z.string().min(1).max(255),
  label: optionalText,
  displayOrder: optionalNumber,
  metadata: z
    .object({
      probability: optionalText,
      isClosed: z
        .preprocess((value) => (typeof value === 'boolean' ? String(value) : value), z.string())
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

const wirePipeline = z.object({
  id: z.string().min(1).max(255),
  label: optionalText,
  displayOrder: optionalNumber,
  stages: z.array(z.unknown()).nullish().catch(null),
});

const wireDetails = z.object({ companyCurrency: optionalText });

interface StageState {
  readonly isClosed: boolean;
  readonly chance: number | null;
}

interface Ordered {
  readonly displayOrder?: number | null | undefined;
}
