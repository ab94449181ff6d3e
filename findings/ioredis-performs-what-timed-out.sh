#!/bin/sh
# ioredis 6.0.0: a command that ended with "Command timed out" while Redis was away is performed when Redis comes back.
# Expected of `commandTimeout`: a command that was never sent, and has failed for its caller, is dropped. Seen: it stays in the offline queue, and
# INCR counts after its caller was told that it failed. A caller that tries again counts twice. Make such writes repeatable, or set
# `enableOfflineQueue: false`. Needs node, npm and redis-server. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent ioredis@6.0.0 >/dev/null 2>&1
node --input-type=module <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
const path = `${process.cwd()}/redis.sock`;
const client = new Redis({ path, commandTimeout: 300, maxRetriesPerRequest: null, retryStrategy: () => 100 });
client.on('error', () => {});
const told = await client.incr('count').then((count) => `count ${count}`, ({ message }) => message);
const back = new Promise((ready) => client.once('ready', ready));
const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', process.cwd()], { stdio: 'ignore' });
process.on('exit', () => server.kill());
await back;
const count = await client.get('count');
client.disconnect();
server.kill();
await once(server, 'exit');
console.log(`while Redis is away: ${told}\nonce it is back: count ${count}`);
const same = told === 'Command timed out' && count === '1';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
