#!/bin/sh
# ratelimit-header-parser 0.1.0: where Retry-After names the wait, the limit ends in January 1970.
# RFC 9110 (10.2.3): the number in Retry-After is a count of seconds from now. Its README promises `reset` as a date, whatever headers name it.
# Seen: without a reset header, the seconds of Retry-After count from the epoch; a date there becomes an invalid one. With `RateLimit-Reset` it is right.
# What waits until `reset` does not wait at all, and asks again at once while it is refused. The headers of express-rate-limit 8.7.5 of draft 8, from the
# same authors, are found too, as no number and an invalid date; those of draft 6 and 7 are read.
# Read Retry-After oneself, and let express-rate-limit write draft 7. A server on 127.0.0.1 answers. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ratelimit-header-parser@0.1.0 express-rate-limit@8.7.5 express@5.1.0
cat >run.mjs <<'JS'
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { parseRateLimit } from 'ratelimit-header-parser';
function shown(headers) {
  const found = parseRateLimit(new Headers(headers));
  const wait = found.reset === undefined ? 'no' : (found.reset - Date.now()) / 1000;
  const when = Number.isNaN(wait) ? 'an invalid date' : wait < -3600 ? found.reset.toISOString() : `in ${Math.round(wait / 30) * 30} s`;
  return `limit ${found.limit}, remaining ${found.remaining}, reset ${when}`;
}
const left = { 'RateLimit-Limit': '50', 'RateLimit-Remaining': '0' };
console.log(`RateLimit-Reset: ${shown({ ...left, 'RateLimit-Reset': '60' })}`);
console.log(`Retry-After: ${shown({ ...left, 'Retry-After': '60' })}`);
console.log(`Retry-After as a date: ${shown({ ...left, 'Retry-After': new Date(Date.now() + 60_000).toUTCString() })}`);
const drafts = ['draft-6', 'draft-7', 'draft-8'];
const app = express();
for (const draft of drafts) app.get(`/${draft}`, rateLimit({ windowMs: 60_000, limit: 50, standardHeaders: draft, legacyHeaders: false }), (_, res) => res.end());
const server = app.listen(0, '127.0.0.1', async () => {
  for (const draft of drafts) {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/${draft}`);
    console.log(`${draft}: ${shown(answer.headers)}`);
  }
  server.close();
});
JS
node run.mjs | tee seen
diff seen - <<'WANT'
RateLimit-Reset: limit 50, remaining 0, reset in 60 s
Retry-After: limit 50, remaining 0, reset 1970-01-01T00:01:00.000Z
Retry-After as a date: limit 50, remaining 0, reset an invalid date
draft-6: limit 50, remaining 49, reset in 60 s
draft-7: limit 50, remaining 49, reset in 60 s
draft-8: limit NaN, remaining NaN, reset an invalid date
WANT
