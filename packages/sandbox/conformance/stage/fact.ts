/**
 * The three ways to state a rule as a test. The choice determines where the test can run:
 *   reading  sends GETs with one key: runs everywhere, also with --read-only;
 *   writing  changes things with one key: runs everywhere except with --read-only;
 *   needing  needs more than a key: runs against a sandbox only.
 * A test name begins with the ids of the rules it shows: `[contacts.create.4] ...`.
 */
import { inject, it, type TestContext } from 'vitest';
import { Api } from './api.ts';
import { Broom, Company, Lacking } from './company.ts';
import { livedIn } from './lived-in.ts';
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

export function reading(name: Words, run: (company: Company) => Promise<void>): void {
  it(name, async (context) => {
    const server = foreignServer();
    if (!server) return run(await livedIn());
    // Enforces GETs, so that a reading test cannot change the server.
    const api = new Api(server.baseUrl, server.key, { manners: { getsOnly: true, waitsOn429: true } });
    await unlessLacking(context, () => run(new Company(api, server)));
  });
}

export function writing(name: Words, run: (company: Company) => Promise<void>): void {
  it(name, async (context) => {
    const server = foreignServer();
    if (!server) return run(await openStage(inject('landlord')));
    if (server.isReadOnly) return skip(context, 'it writes');
    const broom = new Broom();
    const parts = {
      manners: { waitsOn429: true },
      onAnswer: (answer: Parameters<Broom['note']>[0]) => broom.note(answer),
    };
    const api = new Api(server.baseUrl, server.key, parts);
    try {
      await unlessLacking(context, () => run(new Company(api, server)));
    } finally {
      await broom.sweep(new Api(server.baseUrl, server.key, { manners: { waitsOn429: true } }));
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
    await run(await openStage(inject('landlord'), { options }));
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
