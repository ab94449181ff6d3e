#!/bin/sh
# googleapis 188.0.0 (gaxios 8): a read that Google answers with 429 and `Retry-After: 3` is repeated after a tenth of a second.
# RFC 9110 (10.2.3) lets a server name the wait. Expected: 3 s, or the 429. Seen: the default retry uses its own short waits, so three more calls
# are spent within three seconds, and a quota by the minute gets no rest. Set `retry: false`, or `retryConfig.retryBackoff`.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent googleapis@188.0.0
cat >run.mjs <<'JS'
import { createServer } from 'node:http';
import { google } from 'googleapis';
const at = [];
const server = createServer((request, response) => {
  at.push(performance.now());
  response.writeHead(at.length === 1 ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '3' });
  response.end(at.length === 1 ? '{"error":{"code":429,"message":"x","errors":[]}}' : '{}');
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const calendar = google.calendar({ version: 'v3', auth: 'key', rootUrl: `http://127.0.0.1:${server.address().port}/` });
const { status } = await calendar.events.get({ calendarId: 'c', eventId: 'e' });
server.close();
const waited = at[1] - at[0];
console.log(`${at.length} calls, status ${status}, waited ${(waited / 1000).toFixed(1)} s where 3 s were asked`);
const same = at.length === 2 && status === 200 && waited < 2500;
console.log(same ? 'as seen: Retry-After is not honoured' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
