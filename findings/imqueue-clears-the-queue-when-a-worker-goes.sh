#!/bin/sh
# @imqueue/core 2.0.26 (2026): a worker that ends with `destroy()` deletes all messages of the queue that wait, or are delayed, for the others as well.
# Its types: "Safely destroys current queue, unregistered all set event listeners and connections", and `clear()` is there for the data.
# Its README ends its example with it. Expected: what other processes have sent stays in Redis for the next worker, as after `stop()`.
# Seen: `destroy()` calls `clear()`. Nothing is thrown or told, with `safeDelivery` just as without.
# Where workers end with it, each deployment loses the confirmations that wait and the reminders of the next days.
# Call `stop()`, and end the process. Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @imqueue/core@2.0.26 reflect-metadata@0.2.2
port=$(node -e "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => { console.log(s.address().port); s.close(); })")
redis-server --bind 127.0.0.1 --port "$port" --save '' >/dev/null &
redis=$!
until redis-cli -p "$port" ping >/dev/null 2>&1; do sleep 0.1; done
cat >run.cjs <<'JS'
const { setTimeout: sleep } = require('node:timers/promises');
const { default: IMQ, IMQMode } = require('@imqueue/core');
const [, , port, name, role] = process.argv;
const quiet = { log() {}, info() {}, warn() {}, error: console.error };
const options = { host: '127.0.0.1', port: Number(port), logger: quiet, safeDelivery: true };
(async () => {
  if (role === 'web server') {
    const queue = IMQ.create('web', options, IMQMode.PUBLISHER);
    await queue.start();
    for (const to of ['Ann', 'Ben', 'Cleo']) await queue.send(name, { to });
    await queue.send(name, { to: 'Dora' }, 3_600_000);
    // Answered after the others, over the same connection.
    await queue.queueLength();
  } else {
    // A worker that is busy with its first message, and told to end.
    const queue = IMQ.create(name, options);
    const first = new Promise((got) => { queue.on('message', ({ to }) => { got(to); void queue.stop(); }); });
    await queue.start();
    await first;
    if (role === 'destroy') await queue.destroy();
    await sleep(300);
  }
  process.exit();
})();
JS
for end in stop destroy; do
  node run.cjs "$port" "$end" 'web server'
  before="$(redis-cli -p "$port" llen "imq:$end") and $(redis-cli -p "$port" zcard "imq:$end:delayed") delayed"
  node run.cjs "$port" "$end" "$end"
  echo "$end: waiting before $before, after $(redis-cli -p "$port" llen "imq:$end") and $(redis-cli -p "$port" zcard "imq:$end:delayed") delayed"
done | tee seen
diff seen - <<'WANT'
stop: waiting before 3 and 1 delayed, after 2 and 1 delayed
destroy: waiting before 3 and 1 delayed, after 0 and 0 delayed
WANT
