import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, vi } from 'vitest';
import { type ParkedOrphans, parkedOrphans } from '../../src/engine/edit-guard.ts';
import { PATIENCE_MS } from '../stand/patience.ts';
import { openTestStore } from '../stand/store.ts';
import { startWorkerProcess } from '../stand/worker-process.ts';
import { ANNA, startWorld, type World, type WorldOptions } from '../stand/world.ts';

/** A world in the state that a section of the runbook speaks of. */
export interface Scene {
  readonly config: string;
  readonly dir: string;
  /** What the ids in the section's command lines stand for, in the order in which they first occur. */
  readonly ids: readonly string[];
  /** What happens between the commands: before the one with this number, counted from 0. */
  readonly between?: Readonly<Record<number, () => Promise<unknown>>>;
  close(): Promise<void>;
}

/** What has changed within the last ten seconds counts as under way for the audit. */
const settled = () => sleep(10_500);

/** Beginning of the name of the folder that stands for ./data. */
export const SECRETS = 'slotbridge-secrets-';

const patience = { timeout: PATIENCE_MS, interval: 100 };

/** Sections of the runbook, by their headings. */
export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  'Did we miss anything?': async () => {
    const stage = await open();
    for (const hours of [24, 26, 28]) stage.world.book({ hours });
    await stage.idle();
    return stage.scene([], { 1: settled });
  },
  'What exactly was missed, and since when?': () => endpointDisabled({ mendedBefore: 3 }),
  'Why is this appointment not in that calendar?': async () => {
    const stage = await open();
    const cancelled = stage.world.book({ hours: 24 });
    await stage.idle();
    stage.world.platform.dashboard.cancel(cancelled);
    await stage.idle();
    stage.world.google.revokeAccess(ANNA);
    const refused = stage.world.book({ hours: 30 });
    await stage.until((status) => status.problems.length > 0);
    return stage.scene([cancelled, refused]);
  },
  'How do I put it right without harm?': async () => {
    // What staff delete is put back by itself once it is seen; here somebody asks before that.
    const stage = await open({ watch: '{ every: 30m }' });
    const id = stage.world.book({ hours: 24 });
    stage.world.book({ hours: 26 });
    await stage.idle();
    const loseEvent = async () => {
      await stage.idle();
      const eventId = `sb${id.replaceAll('-', '')}`;
      stage.world.google.staff.calendar.remove({ calendarId: ANNA, eventId });
      await settled();
    };
    const healed = async () => {
      await stage.idle();
      await vi.waitFor(() => expect(stage.world.events(ANNA).length).toBe(2), patience);
    };
    const parked = async () => {
      const store = openTestStore(stage.world.redis.url, { prefix: 'slotbridge' });
      const members = [`appointment/${id}`];
      const text = JSON.stringify({ count: 1, atMs: Date.now(), members } satisfies ParkedOrphans);
      await store.memory.set(parkedOrphans(`calendar:${ANNA}`), text);
      store.close();
    };
    return stage.scene([id], { 2: stage.idle, 3: stage.idle, 4: loseEvent, 6: healed, 7: parked });
  },
  'What would an edit of the YAML change?': async () => {
    const stage = await open();
    for (const hours of [24, 26]) stage.world.book({ hours });
    await stage.idle();
    const scene = stage.scene([]);
    const edited = readFileSync(scene.config, 'utf8').replace('{{ service_name }},', '{{ service_name }}:');
    writeFileSync(`${scene.dir}/edited.yaml`, edited);
    return scene;
  },
  'Alerts `problem` and `lag`': async () => {
    const stage = await open();
    stage.world.google.revokeAccess(ANNA);
    stage.world.book({ hours: 24 });
    await stage.until((status) => status.problems.length > 0 && status.pending.sheet_rows === 0);
    return stage.scene([]);
  },
  'Alert `stuck`': async () => {
    const stage = await open();
    const fault = { kind: 'status', status: 500 } as const;
    stage.world.google.faults.add({ method: 'POST', path: /\/events/, fault });
    const id = stage.world.book({ hours: 24 });
    await stage.until((status) => status.pending.objects > 0 && status.pending.sheet_rows === 0);
    await stage.logged('object not mirrored', 2);
    return stage.scene([id]);
  },
  'Alert `coverage`': async () => {
    const stage = await open();
    stage.world.book({ hours: 24 });
    await stage.idle();
    const fault = { kind: 'status', status: 503 } as const;
    stage.world.platform.faults.add({ path: /\/v1\/events/, fault });
    await stage.until((status) => !status.coverage.feed.fresh);
    return stage.scene([]);
  },
  'Alerts `endpoint`, `hole` and `hole-open`': () => endpointDisabled({}),
  'Alerts `dead-letters` and `many-dead-letters`': async () => {
    const stage = await open();
    const error = { code: 400, message: 'Invalid', errors: [{ reason: 'invalid', message: 'Invalid' }] };
    const lift = stage.world.google.faults.add({
      method: 'POST',
      path: /\/events/,
      fault: {
        kind: 'status',
        status: 400,
        body: JSON.stringify({ error }),
        contentType: 'application/json',
      },
    });
    const [retried, given] = [stage.world.book({ hours: 24 }), stage.world.book({ hours: 26 })];
    await stage.until((status) => status.dead_letters.count === 2 && status.pending.sheet_rows === 0);
    // By the time of `retry` the cause is mended.
    const mend = async () => lift();
    return stage.scene([retried, given], { 4: mend });
  },
  'Alert `platform-refused`': async () => {
    // The proof of the feed must not grow old while the command is begun on a busy machine.
    const stage = await open({ feedEvery: '10s' });
    stage.world.book({ hours: 24 });
    await stage.idle();
    stage.world.platform.revokeKey(stage.world.apiKey);
    await stage.until((status) => status.problems.length > 0);
    return stage.scene([]);
  },
  'Alert `google-refused`': async () => {
    const stage = await open();
    stage.world.google.revokeGrants();
    stage.world.google.revokeTokens();
    stage.world.book({ hours: 24 });
    await stage.until(
      (status) => status.problems.some(({ target }) => target === 'google') && status.pending.sheet_rows > 0,
    );
    return stage.scene([]);
  },
  'Alert `state-unreadable`': async () => {
    const stage = await open();
    process.kill(stage.world.redis.pid, 'SIGKILL');
    return stage.scene([]);
  },
  'No worker answers': async () => {
    const stage = await open();
    stage.world.book({ hours: 24 });
    await stage.idle();
    await stage.worker.kill();
    return stage.scene([]);
  },
};

/** The endpoint was switched off while the worker was down, and an appointment was booked meanwhile. */
async function endpointDisabled({ mendedBefore }: { mendedBefore?: number }): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), SECRETS));
  const stage = await open({ webhook: `, secret_file: ${folder}/webhook-secret` });
  stage.world.book({ hours: 24 });
  await stage.idle();
  await stage.worker.stop();
  stage.world.platform.dashboard.disableEndpoint(stage.endpoint);
  stage.world.book({ hours: 26 });
  stage.worker.start();
  await stage.worker.untilReady();
  await stage.until(({ holes, problems, pending }) => {
    return holes.length === 1 && problems.length === 1 && pending.objects === 0;
  });
  const mend = async () => {
    stage.world.platform.dashboard.enableEndpoint(stage.endpoint);
    await stage.idle();
  };
  const scene = stage.scene([], mendedBefore === undefined ? {} : { [mendedBefore]: mend });
  return {
    ...scene,
    async close() {
      await scene.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Status = Awaited<ReturnType<World['status']>>;

const standing = new Set<() => Promise<void>>();

/** Closes what a scene that did not come into its state has left behind. */
export async function closeScenes(): Promise<void> {
  for (const close of [...standing]) await close();
}

async function open(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const port = await world.door();
  const endpoint = await world.subscribe(port);
  const worker = await startWorkerProcess(world, port);
  const close = async (): Promise<void> => {
    standing.delete(close);
    await worker.kill();
    await world.close();
  };
  standing.add(close);
  worker.start();
  await worker.untilReady();
  await world.untilIdle(worker.url);
  return {
    world,
    worker,
    endpoint,
    idle: () => world.untilIdle(worker.url),
    until: (isSo: (status: Status) => boolean) =>
      vi.waitFor(async () => {
        const status = await world.status(worker.url);
        if (!isSo(status)) throw new Error(`not so yet: ${JSON.stringify(status)}`);
      }, patience),
    logged: (message: string, times: number) =>
      vi.waitFor(async () => {
        const log = readFileSync(`${world.dir}/worker.log`, 'utf8');
        if (log.split(`"${message}"`).length <= times) throw new Error(`not logged yet: ${message}`);
      }, patience),
    scene(ids: readonly string[], between: Scene['between'] = {}): Scene {
      const config = world.writeConfig(port);
      // It holds secrets, as no company's does: `check` would warn of that.
      chmodSync(config, 0o600);
      return { ...{ config, ids, between, close }, dir: world.dir };
    },
  };
}
