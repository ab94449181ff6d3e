/**
 * The three ways to state a rule of Google as a test. The choice determines where the test can run:
 *   reading  sends GETs with one token: runs everywhere, also with --read-only;
 *   writing  changes only its own objects with one token: runs everywhere except with --read-only;
 *   needing  needs more than a token, or relies on a guess that only the sandbox shares: runs against a sandbox only.
 * A test name begins with the ids of the rules it shows: `[ids.4] ...`.
 */
import { inject, it, type TestContext } from 'vitest';
import { Api } from './api.ts';
import { Broom } from './broom.ts';
import { Desk, Lacking } from './desk.ts';
import { NEEDS, type Need } from './needs.ts';
import { foreignServer } from './server.ts';
import { openStage, type Stage } from './stage.ts';

export type Words = `[${string}] ${string}`;

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test was skipped. */
    skippedBecause?: string;
  }
}

export function reading(name: Words, run: (desk: Desk) => Promise<void>): void {
  it(name, async (context) => {
    const server = foreignServer();
    if (!server) return run(await openStage(inject('landlord')));
    // Enforces GETs, so that a reading test cannot change the server.
    const api = new Api(server, server.token, { manners: { getsOnly: true, waitsForQuota: true } });
    await unlessLacking(context, () => run(new Desk(api, server)));
  });
}

export function writing(name: Words, run: (desk: Desk) => Promise<void>): void {
  it(name, async (context) => {
    const server = foreignServer();
    if (!server) return run(await openStage(inject('landlord')));
    if (server.isReadOnly) return skip(context, 'it writes');
    const broom = new Broom();
    const manners = { waitsForQuota: true };
    const api = new Api(server, server.token, { manners, onAnswer: (answer) => broom.note(answer) });
    try {
      await unlessLacking(context, () => run(new Desk(api, server, broom)));
    } finally {
      await broom.sweep(new Desk(new Api(server, server.token, { manners }), server));
    }
  });
}

type Run = (stage: Stage) => Promise<void>;

/** `options`: the sandbox's options, as JSON. */
export function needing(
  need: Need,
  name: Words,
  test: Run | { readonly options: Record<string, unknown>; readonly run: Run },
): void {
  const { options, run } = typeof test === 'function' ? { options: {}, run: test } : test;
  it(name, async (context) => {
    if (foreignServer()) return skip(context, `it needs ${NEEDS[need]}`);
    await run(await openStage(inject('landlord'), options));
  });
}

async function unlessLacking(context: TestContext, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Lacking)) throw error;
    skip(context, error.message);
  }
}

function skip(context: TestContext, because: string): never {
  context.task.meta.skippedBecause = because;
  context.skip(because);
}
