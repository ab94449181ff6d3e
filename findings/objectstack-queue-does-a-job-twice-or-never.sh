#!/bin/sh
# @objectstack/service-queue 17.4.0: two workers both do each job, and a job whose worker died is never done.
# Its README: the db adapter is for several nodes, with a "lease-based claim", and after `leaseMs` another worker may reclaim a message.
# Seen: a worker reads what is pending and then writes its name on it, whoever was first. Two that look at one moment both have it.
# Only "pending" is ever read. A message of a dead worker stays "running" for ever, long after its lease, and is in no list of failures.
# Published again with its idempotencyKey it is refused in silence: the id of the dead one comes back. A reminder comes twice, or not at all.
# Run one worker, and set old "running" rows of sys_job_queue back to "pending". Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @objectstack/service-queue@17.4.0 @objectstack/platform-objects@17.4.0 \
  @objectstack/objectql@17.4.0 @objectstack/driver-memory@17.4.0
cat >run.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryDriver } from '@objectstack/driver-memory';
import { ObjectQL } from '@objectstack/objectql';
import { SysJobQueue } from '@objectstack/platform-objects/audit';
import { DbQueueAdapter } from '@objectstack/service-queue';
const engine = new ObjectQL();
engine.registerDriver(new InMemoryDriver(), true);
engine.registry.registerObject(SysJobQueue, 'sys', 'sys');
await engine.init();
const LEASE_MS = 200;
async function start(workerId, queue, handler) {
  const worker = new DbQueueAdapter({ engine, options: { workerId, leaseMs: LEASE_MS, autoStart: false } });
  await worker.subscribe(queue, handler);
  return worker;
}
const seen = [];
// One worker after the other, then both at once.
for (const queue of ['in turn', 'at once']) {
  const done = [];
  const workers = [];
  for (const name of ['one', 'two']) workers.push(await start(name, queue, async ({ data }) => { done.push(`${data} by ${name}`); }));
  for (const data of ['Ann', 'Ben']) await workers[0].publish(queue, data);
  if (queue === 'at once') await Promise.all(workers.map((worker) => worker.pollOnce()));
  else for (const worker of workers) await worker.pollOnce();
  seen.push(`${queue}: ${done.sort().join(', ')}`);
}
const done = [];
const dead = await start('dead', 'reminders', () => new Promise(() => {}));
const id = await dead.publish('reminders', 'Cleo', { idempotencyKey: 'visit 1' });
void dead.pollOnce();
await sleep(LEASE_MS * 5);
const alive = await start('alive', 'reminders', async ({ data }) => { done.push(data); });
await alive.pollOnce();
const again = await alive.publish('reminders', 'Cleo', { idempotencyKey: 'visit 1' });
await alive.pollOnce();
const [row] = await engine.find('sys_job_queue', { where: { id } });
seen.push(`after a death: done ${done.length}, ${row.status}, failed ${(await alive.listFailed()).length}, published again as ${again === id ? 'the same' : 'another'}`);
await alive.publish('reminders', 'Dora', { idempotencyKey: 'visit 2' });
await alive.pollOnce();
seen.push(`with another key: done ${done.join(', ')}`);
writeFileSync('seen', `${seen.join('\n')}\n`);
process.exit();
JS
node run.mjs >/dev/null
cat seen
diff seen - <<'WANT'
in turn: Ann by one, Ben by one
at once: Ann by one, Ann by two, Ben by one, Ben by two
after a death: done 0, running, failed 0, published again as the same
with another key: done Dora
WANT
