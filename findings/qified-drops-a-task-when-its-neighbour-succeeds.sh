#!/usr/bin/env bash
# qified 0.13.2 (September 2026): of two handlers of a queue, the one that fails is not tried again, and nothing is in the dead-letter queue.
# Its README: a queue has handlers told apart by id. What one rejects goes back into the queue for a retry, or to the dead letters.
# Expected: each handler has its tries, or the task counts as failed. Seen: the first success removes the task for all of them.
# Its try is counted for both, so the other begins with the second of three. Nothing is emitted, and the queue looks done.
# With one handler, three tries and a dead letter are right. The mail goes out and the calendar never hears of the booking.
# Enqueue into one queue for each handler. Tasks are kept in memory here. Needs node (20, or 22 as it asks for) and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent qified@0.13.2
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryTaskProvider, Qified } from 'qified';
async function run(...handlers) {
  const provider = new MemoryTaskProvider();
  const qified = new Qified({ taskProviders: [provider] });
  const seen = [];
  qified.on('error', () => seen.push('an error is emitted'));
  const known = {
    mail: async () => { seen.push('mail sent'); },
    calendar: async (_task, { metadata }) => {
      seen.push(`calendar, try ${metadata.attempt} of ${metadata.maxRetries}`);
      await sleep(50);
      throw new Error('away');
    },
  };
  for (const id of handlers) await qified.dequeue('bookings', { id, handler: known[id] });
  await qified.enqueue('bookings', { data: { to: 'Ann' }, maxRetries: 3 });
  await sleep(1_500);
  const { waiting, processing, deadLetter } = provider.getQueueStats('bookings');
  console.log(`${handlers.join(' and ')}: ${seen.join('; ')}; then ${waiting + processing} left, ${deadLetter} dead`);
  await qified.disconnect();
}
await run('calendar');
await run('calendar', 'mail');
await run('mail', 'calendar');
JS
node run.mjs | tee seen
diff seen - <<'WANT'
calendar: calendar, try 1 of 3; calendar, try 2 of 3; calendar, try 3 of 3; then 0 left, 1 dead
calendar and mail: calendar, try 1 of 3; mail sent; then 0 left, 0 dead
mail and calendar: mail sent; calendar, try 2 of 3; then 0 left, 0 dead
WANT
