/**
 * What every source of wishes promises, whatever comes between a wish and its verdict: one effect, of the last wish, told once, and nothing
 * remembered of a request. Each source of `hands.ts` runs the same strikes: at the n-th call of its turn, for n = 1, 2, … as many as a turn
 * needs, and around an answer that is missing. In each situation of `situations.ts` and `rounds.ts` a worker dies at the n-th call, before or
 * after it was carried out, and another one starts over from what stands then.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createPlatformWriter } from '../../../src/platform/client.ts';
import { type Around, dying } from '../../stand/doom.ts';
import { combined } from '../../stand/runs.ts';
import { type Chosen, type Deal, MOMENTS, variantOf } from '../../stand/sweep.ts';
import { type Hands, SOURCES, type Source } from './hands.ts';
import type { Situation, Situations } from './situations.ts';

const AHEAD_MS = 5 * 3_600_000;
/** A dead worker stays dead for a while. */
const DEAD_MS = 10_000;

type Moment = (typeof MOMENTS)[number];
type End = keyof Source['ends'];

interface Strike {
  readonly name: string;
  /** What happens at the n-th call. */
  around(hands: Hands, struck: Struck): Around;
  /** Once the turn has ended. */
  afterwards?(hands: Hands): Promise<void>;
  readonly ends: readonly End[];
}

interface Struck {
  readonly at: number;
  made: number;
}

/** Done right before the n-th call. What is called meanwhile does not count. */
function acting(act: () => Promise<unknown>, struck: Struck, counts = (_name: string) => true): Around {
  let isActing = false;
  return async (call, name) => {
    if (isActing || !counts(name)) return call();
    struck.made += 1;
    if (struck.made === struck.at) {
      isActing = true;
      await act();
      isActing = false;
    }
    return call();
  };
}

function dyingAt(moment: Moment, struck: Struck): Around {
  const doom = { at: struck.at, moment, made: 0 };
  const around = dying(doom);
  return async (call, name) => {
    try {
      return await around(call, name);
    } finally {
      struck.made = doom.made;
    }
  };
}

const first =
  (act: (hands: Hands) => Promise<unknown>): Strike['around'] =>
  (hands, struck) =>
    acting(() => act(hands), struck);
const dies =
  (moment: Moment): Strike['around'] =>
  (_, struck) =>
    dyingAt(moment, struck);

/** Calls that send a request. Whoever stands still between the last look at the fence and this call, for minutes, cannot be held back. */
const SENDING: ReadonlySet<string> = new Set(['create', 'reschedule', 'cancel', 'change']);

/** Other handlers come to the end of all that is due, while this one stands still. */
function overtaken(act: (hands: Hands) => Promise<unknown>): Strike['around'] {
  return (hands, struck) =>
    acting(
      async () => {
        await act(hands);
        await hands.settle();
      },
      struck,
      (name) => !SENDING.has(name),
    );
}

const later = async ({ clock }: Hands) => clock.advance(DEAD_MS);
const setAhead = async ({ clock }: Hands, aheadMs = AHEAD_MS) => {
  clock.aheadMs = aheadMs;
};
const setRight = async (hands: Hands) => {
  await setAhead(hands, 0);
  await hands.recall?.();
};

const STRIKES: readonly Strike[] = [
  { name: 'it dies before', around: dies('before'), afterwards: later, ends: ['wished'] },
  { name: 'it dies after', around: dies('after'), afterwards: later, ends: ['wished'] },
  {
    name: 'it dies after, and people take the wish back',
    around: dies('after'),
    afterwards: async (hands) => {
      await later(hands);
      await hands.takeBack();
    },
    ends: ['untouched'],
  },
  {
    name: 'it dies after, and people wish something else',
    around: dies('after'),
    afterwards: async (hands) => {
      await later(hands);
      await hands.replace();
    },
    ends: ['replaced'],
  },
  {
    name: 'it dies after, and Redis is lost',
    around: dies('after'),
    afterwards: async (hands) => {
      await later(hands);
      await hands.loseRedis();
    },
    ends: ['wished', 'untouched'],
  },
  {
    name: 'people take the wish back before',
    around: first((hands) => hands.takeBack()),
    ends: ['untouched'],
  },
  {
    name: 'people wish something else before',
    around: first((hands) => hands.replace()),
    ends: ['replaced'],
  },
  { name: 'it is overtaken before', around: overtaken(async () => {}), ends: ['wished'] },
  {
    name: 'it is overtaken with another wish before',
    around: overtaken((hands) => hands.replace()),
    ends: ['replaced'],
  },
  {
    name: 'it is overtaken after people took the wish back before',
    around: overtaken((hands) => hands.takeBack()),
    ends: ['untouched'],
  },
  {
    name: 'the clock is hours ahead from',
    around: first((hands) => setAhead(hands)),
    afterwards: setRight,
    ends: ['wished'],
  },
  {
    name: 'the clock was hours ahead until',
    around: (hands, struck) => {
      void setAhead(hands);
      return first(setRight)(hands, struck);
    },
    afterwards: setRight,
    ends: ['wished'],
  },
];

/** Whatever carries a wish. */
const REQUESTS = { method: ['POST', 'PATCH'], path: /\/appointments|\/contacts\/./ } as const;

/** What becomes of the request and its answer. */
const ANSWERS = {
  'is lost': { kind: 'commit-then-reset' },
  'is an error of somebody in between': { kind: 'commit-then-status', status: 502 },
  'never comes': { kind: 'status', status: 503 },
  'comes late': { kind: 'status', status: 503 },
} as const;

const AGAIN = 'people wish something else and then the first again';
const MEANWHILE = {
  'nobody does anything': { end: 'wished', act: async () => {} },
  'people take the wish back': { end: 'untouched', act: (hands: Hands) => hands.takeBack() },
  'people wish something else': { end: 'replaced', act: (hands: Hands) => hands.replace() },
  [AGAIN]: {
    end: 'wished',
    act: async (hands: Hands) => {
      await hands.replace();
      await hands.turn();
      await hands.again?.();
    },
  },
} as const satisfies Record<string, { end: End; act(hands: Hands): Promise<unknown> }>;

const AFTER = {
  soon: async () => {},
  'when the platform has forgotten the key': async ({ platform: { sandbox }, clock }: Hands) => {
    sandbox.switches = { ...sandbox.switches, idempotencyHours: 0 };
    clock.advance(1_000);
  },
  'an hour later': async ({ clock }: Hands) => clock.advance(3_600_000),
} as const;

/** At no call. */
const UNSTRUCK = Number.POSITIVE_INFINITY;

/** `calls`: at which calls something happens. `answers`: which rows of the table of answers each source takes. */
export function testWishes({ calls, answers }: { readonly calls: Deal; readonly answers: Chosen }): void {
  for (const [at, make] of SOURCES.entries()) {
    const source = make();
    describe(source.name, () => {
      afterEach(() => source.closeWorlds());
      afterAll(() => source.close());

      /** One wish, with something at a call. Returns how many calls the turn made. */
      const live = async (at: number, strike: Pick<Strike, 'around' | 'afterwards' | 'ends'>) => {
        const hands = await source.begin();
        const mailed = mailsOf(hands).length;
        await hands.wish();
        const struck = { at, made: 0 };
        await hands.turn(strike.around(hands, struck));
        await strike.afterwards?.(hands);
        await hands.settle();
        const { ends } = strike;
        const changes = ends.includes('wished') ? 1 : 2;
        if (at === UNSTRUCK || struck.made >= at)
          await expectEnd(source, hands, { ends, mailed, changes, told: `call ${at}` });
        return struck.made;
      };
      let counted: Promise<number> | undefined;

      test.each(STRIKES.map((strike, nth) => ({ ...strike, nth })))(
        '$name any call of its turn',
        async ({ nth, ...strike }) => {
          counted ??= live(UNSTRUCK, { around: dies('before'), ends: ['wished'] });
          const needed = await counted;
          expect(needed).toBeGreaterThan(5);
          let struck = 0;
          let made = 0;
          for (const at of calls(nth, needed)) {
            made = await live(at, strike);
            if (made >= at) struck += 1;
          }
          // What happened made the turn shorter.
          if (struck === 0) expect(await live(made, strike)).toBe(made);
        },
        900_000,
      );

      const table = combined(Object.entries(ANSWERS), Object.entries(MEANWHILE), Object.entries(AFTER)).map(
        ([[answer, fault], [meanwhile, { end, act }], [when, pass]]) => ({
          ...{ answer, fault, meanwhile, end, act, when, pass },
        }),
      );
      test.each(table.filter((_, row) => answers(at, row)))(
        'the answer $answer, $meanwhile, and the worker goes on $when',
        async ({ answer, fault, meanwhile, end, act, pass }) => {
          const hands = await source.begin();
          if (meanwhile === AGAIN && hands.again === undefined) return;
          const mailed = mailsOf(hands).length;
          await hands.wish();
          hands.platform.sandbox.faults.add({ ...REQUESTS, times: 1, fault });
          await hands.turn();
          if (answer === 'comes late') await arrive(hands);
          await pass(hands);
          await act(hands);
          await hands.settle();
          const changes = meanwhile === AGAIN ? 3 : end === 'wished' ? 1 : 2;
          await expectEnd(source, hands, { ends: [end], mailed, changes, told: 'in the end' });
        },
        60_000,
      );
    });
  }
}

/** The same for the situations of one group. */
export function testDeaths(groups: readonly (() => Situations)[], dealtIn: (ways: number) => Deal): void {
  for (const make of groups) {
    const { of, ways, all, ...group } = make();
    const calls = dealtIn(ways);
    describe(of, () => {
      afterEach(() => group.closeWorlds());
      afterAll(() => group.close());

      for (const [nth, situation] of all.entries()) {
        test(`${situation.name}: whatever call a death takes`, async () => {
          const needed = await dieIn(situation, UNSTRUCK, 'before');
          expect(needed).toBeGreaterThan(situation.callsMin);
          for (const moment of situation.isActed === true ? MOMENTS.slice(0, 1) : MOMENTS)
            for (const at of calls(variantOf(nth, moment), needed)) await dieIn(situation, at, moment);
        }, 900_000);
      }
    });
  }
}

/** Returns how many calls the turn made. */
async function dieIn(situation: Situation, at: number, moment: Moment): Promise<number> {
  const scene = await situation.begin();
  const struck = { at, made: 0 };
  const { act } = scene;
  await scene.turn(act === undefined ? dyingAt(moment, struck) : acting(act, struck));
  if (struck.made < at) await act?.();
  await scene.meanwhile?.();
  await scene.settle();
  await scene.expectEnd(`${moment} call ${at}`);
  return struck.made;
}

async function arrive(hands: Hands): Promise<void> {
  if (hands.arrive) return hands.arrive();
  const writer = createPlatformWriter(hands.platform.client());
  for (const request of await hands.open()) {
    const sent = { body: request.body, idempotencyKey: request.key };
    if (request.op === 'book') await writer.create(sent);
    if (request.op === 'move') await writer.reschedule(request.wish.appointmentId, sent);
    if (request.op === 'cancel') await writer.cancel(request.wish.appointmentId, sent);
  }
}

function mailsOf({ platform }: Hands): readonly string[] {
  return platform.sandbox.truth.customerMails().map(({ reason }) => reason);
}

async function expectEnd(
  source: Source,
  hands: Hands,
  about: { ends: readonly End[]; mailed: number; changes: number; told: string },
): Promise<void> {
  const { ends, mailed, changes, told } = about;
  const shown = hands.shows();
  const every = source.isFinal === true ? [...ends, 'wished' as const] : ends;
  expect(
    every.map((end) => source.ends[end]),
    told,
  ).toContainEqual(shown);
  // A row whose Redis was lost no longer knows what was wished.
  if (ends.length === 1 && !isDeepStrictEqual(shown, source.ends.untouched))
    expect(hands.answer?.(), told).not.toBe('');
  expect(await hands.marks(), told).toEqual([]);
  const open = (await hands.open()).map(({ op }) => op);
  // A booking that was withdrawn is looked for during a day.
  const left = ends.includes('wished') ? open : open.filter((op) => op !== 'book');
  if (source.areLevel !== true) expect(left, told).toEqual([]);
  const mails = mailsOf(hands).slice(mailed);
  if (changes === 1 && ends.length === 1) expect(mails, told).toEqual(source.mails);
  expect(mails.length, told).toBeLessThanOrEqual(changes * source.mails.length);
}
