/** One person, the platform and Redis in memory, for erasures. */
import { expect } from 'vitest';
import type { Appointment, Snapshot } from '../../src/engine/object.ts';
import { customerMarks } from '../../src/engine/person.ts';
import type { Claim } from '../../src/engine/work.ts';
import { type ForgetParts, findPerson } from '../../src/operate/forget/forget.ts';
import type { PersonalPlace } from '../../src/operate/forget/look.ts';
import { MemoryErasures } from '../doubles/erasures.ts';
import { HandClock } from '../doubles/hand-clock.ts';
import { double } from '../stand/double.ts';

export const NOW = Date.parse('2026-07-03T09:00:00Z');
export const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
export const MEETING = 'bbbbbbbb-2222-4222-8222-222222222222';
export const PHONE = '+74950001101';
export const NOBODY = { contactId: undefined, phone: undefined, email: undefined, name: undefined };
export const phoneMark = (phone: string) => customerMarks({ ...NOBODY, phone }).phone ?? '';
export const VERA = { id: ID, phone: PHONE, email: 'vera@x.example', name: 'Vera Orlova' };
export const never = () => Promise.reject(new Error('not asked for'));

export let clock: HandClock;
export let erasures: MemoryErasures;
export let places: PersonalPlace[];
/** What Redis holds, by key. */
export let redis: Record<string, string>;
export let stop: AbortController;
/** Before each test. */
export function renew(): void {
  clock = new HandClock(NOW);
  erasures = new MemoryErasures();
  places = [];
  redis = {};
  stop = new AbortController();
}

export interface World {
  /** Null: the platform does not show it. */
  readonly card?: Snapshot | null;
  /** Cards of others, by number or address. */
  readonly others?: Readonly<Record<string, readonly string[]>>;
  /** What the platform lists, by filter. */
  readonly listed?: Readonly<Record<string, readonly object[]>>;
  /** What it says of one appointment. */
  readonly shown?: Readonly<Record<string, object>>;
  /** Objects that are known here. */
  readonly known?: readonly Partial<Claim>[];
}

export function parts(world: World = {}, more: Partial<ForgetParts> = {}): ForgetParts {
  const { card = VERA, others = {}, listed = {}, shown = {}, known = [] } = world;
  const find = async (text: string) => [ID, ...(others[text] ?? [])].map((id) => ({ id })) as never;
  return {
    erasures: double(erasures),
    cards: { byId: async () => (card ?? undefined) as never, byPhone: find, byEmail: find, create: never },
    appointments: {
      list: async (filter) => ({
        data: (listed[Object.entries(filter).flat().join(' ')] ?? []) as never,
        hasMore: false,
      }),
      get: async (id) => shown[id] as Appointment | undefined,
    },
    houseContacts: new Set(['house']),
    view: { peek: async () => undefined },
    known: {
      each: async (kind, tell) => {
        await tell(known.filter(({ key }) => key?.kind === kind) as readonly Claim[]);
      },
    },
    wakeClasses: never,
    search: double({
      async *all() {
        for (const [key, text] of Object.entries(redis))
          yield* [
            { key, text: key },
            { key, text },
          ];
      },
    }),
    queue: { forget: async () => [], turns: async () => new Set<string>() },
    leases: double({
      hold: async (name: string, work: (lease: never) => Promise<never>, { ttlMs }: { ttlMs: number }) => {
        expect([name, ttlMs]).toEqual(['forget', 15_000]);
        return { result: await work({ signal: stop.signal } as never) };
      },
    }),
    ...{ places, outOfReach: ['log files'], clock },
    ...more,
  };
}

export const known = (name: string, snapshot: object | undefined, more: object = {}): Partial<Claim> => {
  const [kind = '', id = ''] = name.split('/');
  return {
    key: { kind, id } as never,
    snapshot: snapshot && ({ id, ...snapshot } as Snapshot),
    links: {},
    ...more,
  };
};
export const personOf = async (world: World, id = ID) => (await findPerson(id, parts(world))).order;
