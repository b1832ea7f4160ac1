import { systemClock } from './clock.ts';

/**
 * Work of many that come at the same time. Nothing waits for company: what comes while others are under way waits for
 * them to land, and then goes together. So the busier it gets, the more goes at once.
 */
export function createGatherer<Item, Answer>(
  options: GathererOptions<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const { laneOf, keyOf, sizeOf, work, isShared, schedule = systemClock.schedule } = options;
  const lanes = new Map<string, Lane<Item, Answer>>();

  return (item) =>
    new Promise((resolve, reject) => {
      const name = laneOf(item);
      const lane = lanes.get(name) ?? { name, waiting: [], flights: new Set(), keys: new Set() };
      lanes.set(name, lane);
      lane.waiting.push({ item, resolve, reject });
      depart(lane);
    });

  function depart(lane: Lane<Item, Answer>): void {
    while (lane.flights.size < MAX_FLIGHTS) {
      const flight = board(lane);
      if (flight.length === 0) break;
      lane.flights.add(flight);
      void fly(lane, flight);
    }
    if (lane.waiting.length + lane.keys.size + lane.flights.size === 0) lanes.delete(lane.name);
  }

  /** In the order of their coming; those whose key is under way wait for the next. */
  function board(lane: Lane<Item, Answer>): Flight<Item, Answer> {
    const flight: Passenger<Item, Answer>[] = [];
    const left: Passenger<Item, Answer>[] = [];
    let size = 0;
    for (const passenger of lane.waiting) {
      const key = keyOf?.(passenger.item);
      const isBusy = key !== undefined && lane.keys.has(key);
      if (!isBusy) size += sizeOf(passenger.item);
      const fits = flight.length === 0 || (flight.length < MAX_ITEMS && size <= MAX_SIZE);
      if (isBusy || !fits) {
        left.push(passenger);
      } else {
        if (key !== undefined) lane.keys.add(key);
        flight.push(passenger);
      }
    }
    lane.waiting = left;
    return flight;
  }

  async function fly(lane: Lane<Item, Answer>, flight: Flight<Item, Answer>): Promise<void> {
    // One that is held up does not hold up the lane: only who shares a key with it waits on.
    const cancel = schedule(OVERDUE_MS, () => {
      lane.flights.delete(flight);
      depart(lane);
    });
    try {
      const answers = await work(flight.map(({ item }) => item));
      for (const [index, { resolve }] of flight.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of flight) reject(error);
      if (keyOf && isShared?.(error)) rejectFollowers(lane, { flight, keyOf, error });
    }
    cancel();
    lane.flights.delete(flight);
    if (keyOf) for (const { item } of flight) lane.keys.delete(keyOf(item));
    depart(lane);
  }

  /** Who waited for one of them would now wait as long again, to hear the same. */
  function rejectFollowers(lane: Lane<Item, Answer>, { flight, keyOf, error }: Failed<Item, Answer>): void {
    const keys = new Set(flight.map(({ item }) => keyOf(item)));
    const follows = ({ item }: Passenger<Item, Answer>) => keys.has(keyOf(item));
    const followers = lane.waiting.filter(follows);
    lane.waiting = lane.waiting.filter((passenger) => !follows(passenger));
    for (const { reject } of followers) reject(error);
  }
}

/** Two: whoever comes while one is under way need not wait yet. */
const MAX_FLIGHTS = 2;
const MAX_ITEMS = 50;
const MAX_SIZE = 256 * 1024;
const OVERDUE_MS = 50;

export interface GathererOptions<Item, Answer> {
  /** Only what is in the same lane goes together. */
  laneOf(item: Item): string;
  /** No two of the same key in a lane are ever under way at once. Absent: any are. */
  readonly keyOf?: ((item: Item) => string) | undefined;
  /** In characters. What is larger than fits goes alone. */
  sizeOf(item: Item): number;
  /** An answer for each, in their order. */
  work(items: readonly Item[]): Promise<readonly (Answer | Promise<Answer>)[]>;
  /** Does the failure hold for those as well who wait for one that failed? */
  readonly isShared?: ((error: unknown) => boolean) | undefined;
  /** Calls back once, after the delay; the answer calls it off. */
  readonly schedule?: ((delayMs: number, callback: () => void) => () => void) | undefined;
}

interface Lane<Item, Answer> {
  readonly name: string;
  waiting: Passenger<Item, Answer>[];
  readonly flights: Set<Flight<Item, Answer>>;
  /** Of those under way. */
  readonly keys: Set<string>;
}

interface Failed<Item, Answer> {
  readonly flight: Flight<Item, Answer>;
  readonly error: unknown;
  keyOf(item: Item): string;
}

type Flight<Item, Answer> = readonly Passenger<Item, Answer>[];

interface Passenger<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}
