#!/usr/bin/env bash
# @nestjs-redis/throttler-storage 1.0.0 (May 2026): whoever is blocked gets a negative Retry-After, and is refused again when the block is over.
# Its README: a drop-in replacement for the in-memory storage of @nestjs/throttler, whose README has `blockDuration` as the time a request is blocked.
# Expected: the same answers as from that storage. Here two requests a minute are allowed, and the third is blocked for one second.
# Seen: the seconds of today since 1970 are taken from the milliseconds of the block, so Retry-After is below minus a thousand million.
# When the block is over, the hits before it still count. The next request is refused and blocked anew, until the whole minute has gone.
# A client that obeys Retry-After asks at once, without end, and one that waits a second is not served. Let blockDuration equal ttl, and set the
# header oneself. Needs redis-server, node and npm. A server on 127.0.0.1 answers. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
redis=
trap '[ -z "$redis" ] || kill "$redis" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
nest=11.2.10
npm install --no-audit --no-fund --silent @nestjs-redis/throttler-storage@1.0.0 @nestjs/throttler@6.7.1 @nestjs/{common,core,platform-express}@$nest \
  redis@5.8.2 reflect-metadata@0.2.2 rxjs@7.8.2
redis-server --port 0 --unixsocket "$dir/redis.sock" --save '' >/dev/null &
redis=$!
until redis-cli -s "$dir/redis.sock" ping >/dev/null 2>&1; do sleep 0.1; done
cat >run.mjs <<'JS'
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisThrottlerStorage } from '@nestjs-redis/throttler-storage';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import throttling from '@nestjs/throttler';
import { createClient } from 'redis';
const { ThrottlerGuard, ThrottlerModule } = throttling;
const client = await createClient({ socket: { path: new URL('redis.sock', import.meta.url).pathname } }).connect();
const storages = { memory: undefined, redis: new RedisThrottlerStorage(client) };
for (const [name, storage] of Object.entries(storages)) {
  class Slots {
    list() {
      return 'free';
    }
  }
  Get()(Slots.prototype, 'list', Object.getOwnPropertyDescriptor(Slots.prototype, 'list'));
  Controller()(Slots);
  class App {}
  Module({
    imports: [ThrottlerModule.forRoot({ throttlers: [{ limit: 2, ttl: 60_000, blockDuration: 1_000 }], storage })],
    controllers: [Slots],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
  })(App);
  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  const ask = async (when) => {
    const answer = await fetch(await app.getUrl());
    const wait = answer.headers.get('retry-after');
    const shown = wait === null ? '' : `, Retry-After ${wait < -1e9 ? 'below -1000000000' : wait}`;
    console.log(`${name}, ${when}: ${answer.status}${shown}`);
  };
  for (const count of [1, 2, 3]) await ask(`request ${count}`);
  await sleep(1_500);
  await ask('after the block');
  await app.close();
}
await client.close();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
memory, request 1: 200
memory, request 2: 200
memory, request 3: 429, Retry-After 1
memory, after the block: 200
redis, request 1: 200
redis, request 2: 200
redis, request 3: 429, Retry-After below -1000000000
redis, after the block: 429, Retry-After below -1000000000
WANT
