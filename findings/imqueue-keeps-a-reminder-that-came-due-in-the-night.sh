#!/bin/sh
# @imqueue/core 2.0.26 (2026): a delayed message that comes due while no worker runs is not delivered when one starts, nor later.
# Its README: "delayed messages supported", and no timers or polling. Expected: a start looks at what came due meanwhile.
# Seen: a start looks before it knows its script for that, and so does nothing, without a word. After it only the end of a key in Redis
# wakes it, and that of this message is gone. It waits in the list "delayed" until some other delayed message of the queue comes due.
# A reminder due during a deployment goes out with the next one, a day late, or never. A message sent with a delay of 1 wakes the others.
# Here the delay is four seconds, and the worker is away for five. Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
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
const { appendFileSync } = require('node:fs');
const { default: IMQ } = require('@imqueue/core');
const [, , port, name, ...sent] = process.argv;
const quiet = { log() {}, info() {}, warn() {}, error: console.error };
(async () => {
  const queue = IMQ.create(name, { host: '127.0.0.1', port: Number(port), logger: quiet });
  queue.on('message', ({ text }) => appendFileSync(`${name}.log`, ` ${text}`));
  await queue.start();
  for (const text of sent) await queue.send(name, { text }, 4000);
})();
JS
waiting() { redis-cli -p "$port" zcard "imq:$1:delayed"; }
# Runs a worker for so many seconds, or until its message is stored.
worker() {
  queue=$1 seconds=$2
  shift 2
  node run.cjs "$port" "$queue" "$@" &
  node=$!
  if [ "$seconds" = stored ]; then until [ "$(waiting "$queue")" = 1 ]; do sleep 0.1; done; else sleep "$seconds"; fi
  kill -9 "$node"
  wait "$node" 2>/dev/null || true
}
told() { echo "$2: delivered$(cat "$1.log" 2>/dev/null || echo ' nothing'), waiting $(waiting "$1")"; }
{
  worker day 10 reminder
  told day 'always up'
  worker night stored reminder
  sleep 5
  worker night 6
  told night 'down when it came due, then up for six seconds'
  worker night 10 another
  told night 'after another delayed one'
} | tee seen
diff seen - <<'WANT'
always up: delivered reminder, waiting 0
down when it came due, then up for six seconds: delivered nothing, waiting 1
after another delayed one: delivered reminder another, waiting 0
WANT
