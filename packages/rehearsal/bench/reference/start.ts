import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Clinic } from '../stand/clinic.ts';
import type { Stage } from '../stand/stage.ts';

const LOOK_EVERY_MS = 50;

export interface Reference {
  /** Its webhook address. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Resolves when it has handled this many events. */
  untilDone(events: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the reference worker in its own process, with the same Redis and the same Google. */
export async function startReference(stage: Stage, clinic: Clinic, concurrency: number): Promise<Reference> {
  return startProgram(stage, 'calendar-worker.ts', {
    redisUrl: stage.redisUrl,
    googleUrl: stage.google.url,
    accessToken: stage.google.accessToken(),
    concurrency,
    calendars: Object.fromEntries(clinic.people.map(({ id, calendarId }) => [id, calendarId])),
  });
}

/** Starts the route that only adds to a queue, in its own process. An event counts as done once it is in the queue. */
export async function startIntakeRoute(stage: Stage, redisUrl: string): Promise<Reference> {
  return startProgram(stage, 'intake-route.ts', { redisUrl });
}

async function startProgram(stage: Stage, file: string, setting: object): Promise<Reference> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env['PATH'],
      NO_PROXY: '127.0.0.1,localhost',
      BENCH_REFERENCE: JSON.stringify(setting),
    },
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.connected) child.send('stop');
    await ended;
  };
  stage.push(stop);
  const first = (await Promise.race([once(child, 'message'), ended.then(() => undefined)])) as
    | [{ port: number }]
    | undefined;
  if (first === undefined) throw new Error(`the reference ${file} has ended by itself`);
  const [{ port }] = first;
  const url = `http://127.0.0.1:${port}/webhooks/platform`;
  return {
    url,
    pid: child.pid,
    stop,
    async untilDone(events) {
      for (;;) {
        const answer = await fetch(url);
        const { done, failure } = (await answer.json()) as { done: number; failure?: string };
        if (failure !== undefined) throw new Error(`the reference ${file} fails: ${failure}`);
        if (done >= events) return;
        await sleep(LOOK_EVERY_MS);
      }
    },
  };
}
