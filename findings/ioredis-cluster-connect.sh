#!/bin/sh
# ioredis 6.0.0: Cluster.connect() never settles after its ready check has failed, not even once the client is ready.
# A node of a cluster whose slots are not all served answers `cluster_state:fail`, for example while a replica is promoted. connect() then
# reconnects by itself and leaves the promise of its caller pending for good. BullMQ 6.7.0 awaits such a promise when its blocking
# connection is reset (taskforcesh/bullmq#4138), so its worker takes no job any more.
# Needs node, npm and redis-server. Prints what was seen; exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)

trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent ioredis@6.0.0 >/dev/null 2>&1
port=$((20000 + $$ % 10000))
redis-server --port "$port" --bind 127.0.0.1 --dir "$dir" --save '' --cluster-enabled yes --cluster-announce-ip 127.0.0.1 \
  --daemonize no >/dev/null 2>&1 & server=$!
PORT=$port node --input-type=module <<'JS'
import { Cluster, Redis } from 'ioredis';
const port = Number(process.env.PORT), sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const node = new Redis(port, '127.0.0.1');
node.on('error', () => {});
// Half of the slots: the cluster answers, and says that it is not whole.
await node.cluster('ADDSLOTSRANGE', 0, 8191);
const client = new Cluster([{ host: '127.0.0.1', port }], { lazyConnect: true });
client.on('error', () => {});
let settled = 'pending';
client.connect().then(() => (settled = 'resolved'), (error) => (settled = `rejected: ${error.message}`));
await sleep(4_000);
const during = { state: /cluster_state:(\w+)/.exec(await node.cluster('INFO'))[1], promise: settled };
await node.cluster('ADDSLOTSRANGE', 8192, 16383);
await sleep(8_000);
const after = { state: /cluster_state:(\w+)/.exec(await node.cluster('INFO'))[1], client: client.status, set: await client.set('k', 'v'), promise: settled };
console.log(JSON.stringify({ ioredis: '6.0.0', during, after }));
const isAsSeen = during.promise === 'pending' && after.state === 'ok' && after.client === 'ready' && after.promise === 'pending';
console.log(isAsSeen ? 'as seen: the client is ready, and the promise of connect() is still pending' : 'differs');
process.exit(isAsSeen ? 0 : 1);
JS
