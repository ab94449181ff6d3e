#!/bin/sh
# agenda 6.2.6 with @agendajs/redis-backend 3.0.7 (August 2026): cancelling the jobs of appointment 1 cancels those of 12 and 134, too.
# The README of agenda cancels by a filter, { name, data: { userId: 123 } }: the jobs whose data have that value.
# Seen: the filter is looked for as text in the stored JSON, so "appointment":1 is found in "appointment":12. The same for disable() and enable().
# Two fields match only if they stand side by side and in the same order; otherwise nothing is cancelled. Neither is an error.
# The reminders of other customers are gone, without a word. Cancel by the ids of jobs, or write numbers as texts, whose end is then compared.
# Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent agenda@6.2.6 @agendajs/redis-backend@3.0.7 ioredis@5.8.2
redis-server --port 0 --unixsocket "$dir/redis.sock" --save '' >/dev/null &
redis=$!
until redis-cli -s "$dir/redis.sock" ping >/dev/null 2>&1; do sleep 0.1; done
cat >run.mjs <<'JS'
import { RedisBackend } from '@agendajs/redis-backend';
import { Agenda } from 'agenda';
import { Redis } from 'ioredis';
const redis = new Redis(new URL('redis.sock', import.meta.url).pathname);
const agenda = new Agenda({ backend: new RedisBackend({ redis }) });
await agenda.start();
const soon = new Date(Date.now() + 3_600_000);
for (const appointment of [1, 2, 12, 134]) await agenda.schedule(soon, 'number', { appointment });
for (const appointment of ['1', '2', '12', '134']) await agenda.schedule(soon, 'text', { appointment });
await agenda.schedule(soon, 'two', { to: 'Ann', room: 3, appointment: 7 });
const left = async (name) => (await agenda.queryJobs({ name })).jobs.map((each) => each.data.appointment).sort((a, b) => a - b).join(' ') || 'none';
async function show(name, data) {
  const cancelled = await agenda.cancel({ name, data });
  return `${name}, cancel ${JSON.stringify(data)}: ${cancelled} cancelled, left: ${await left(name)}`;
}
const seen = [
  await show('number', { appointment: 1 }),
  await show('text', { appointment: '1' }),
  await show('two', { room: 3, to: 'Ann' }),
  await show('two', { to: 'Ann', appointment: 7 }),
];
console.log(seen.join('\n'));
const expected = ['3 cancelled, left: 2', '1 cancelled, left: 2 12 134', '0 cancelled, left: 7', '0 cancelled, left: 7'];
const same = seen.every((each, at) => each.endsWith(`: ${expected[at]}`));
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
