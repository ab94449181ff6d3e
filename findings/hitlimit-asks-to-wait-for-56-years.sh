#!/usr/bin/env bash
# @joint-ops/hitlimit 1.5.0 (August 2026): with a `skip`, a `ban`, a `group` or `tiers`, RateLimit-Reset says to wait for 56 years where a minute is left.
# Its README calls that header the IETF's. The IETF's draft 6 of these headers: a number of seconds until the limit is reset.
# Seen: without those options the seconds are written, as express-rate-limit 8.7.5 does. With one, and in plain Node always, it is the time of day
# in seconds since 1970. Retry-After is right, but it comes only with a refusal. A client cannot tell the two apart.
# One that spaces its calls by the header of a success stops for good, as soon as /health is left out of the limit.
# Turn `headers.standard` off. A server on 127.0.0.1 answers. Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @joint-ops/hitlimit@1.5.0 express-rate-limit@8.7.5 express@5.1.0
cat >run.mjs <<'JS'
import { hitlimit } from '@joint-ops/hitlimit';
import { createHitLimit } from '@joint-ops/hitlimit/node';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
const limit = { limit: 1, window: '1m' };
const plain = createHitLimit(limit);
const ways = {
  'express-rate-limit': rateLimit({ limit: 1, windowMs: 60_000, standardHeaders: 'draft-6', legacyHeaders: false }),
  'hitlimit': hitlimit(limit),
  'hitlimit with skip': hitlimit({ ...limit, skip: ({ path }) => path === '/health' }),
  'hitlimit with ban': hitlimit({ ...limit, ban: { threshold: 5, duration: '1h' } }),
  'hitlimit with group': hitlimit({ ...limit, group: () => 'shop' }),
  'hitlimit with tiers': hitlimit({ tiers: { free: limit }, tier: () => 'free' }),
  'hitlimit in plain Node': async (request, response, next) => {
    const { allowed, headers } = await plain.check(request);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (allowed) next();
    else response.status(429).end();
  },
};
const app = express();
for (const [index, way] of Object.values(ways).entries()) app.get(`/${index}`, way, (_request, response) => response.send('done'));
const YEAR_S = 365.25 * 86_400;
const shown = (text) => {
  if (text === null) return 'none';
  const seconds = Number(text);
  return seconds > YEAR_S ? `more than ${Math.floor(seconds / YEAR_S / 50) * 50} years` : `${Math.round(seconds / 10) * 10} s`;
};
const server = app.listen(0, '127.0.0.1', async () => {
  for (const [index, name] of Object.keys(ways).entries()) {
    const url = `http://127.0.0.1:${server.address().port}/${index}`;
    const { headers } = await fetch(url);
    const refused = await fetch(url);
    console.log(`${name}: RateLimit-Reset ${shown(headers.get('ratelimit-reset'))}; then ${refused.status} with Retry-After ${shown(refused.headers.get('retry-after'))}`);
  }
  process.exit();
});
JS
node run.mjs | tee seen
diff seen - <<'WANT'
express-rate-limit: RateLimit-Reset 60 s; then 429 with Retry-After 60 s
hitlimit: RateLimit-Reset 60 s; then 429 with Retry-After 60 s
hitlimit with skip: RateLimit-Reset more than 50 years; then 429 with Retry-After 60 s
hitlimit with ban: RateLimit-Reset more than 50 years; then 429 with Retry-After 60 s
hitlimit with group: RateLimit-Reset more than 50 years; then 429 with Retry-After 60 s
hitlimit with tiers: RateLimit-Reset more than 50 years; then 429 with Retry-After 60 s
hitlimit in plain Node: RateLimit-Reset more than 50 years; then 429 with Retry-After 60 s
WANT
