#!/bin/sh
# googleapis 188.0.0 (gaxios 8): a deletion or update that was carried out is reported as an error, because the client repeats it unasked.
# Expected: a write with If-Match is sent once, or the caller learns of the first answer. Seen: after a 5xx the client repeats DELETE and PUT by itself.
# If the first call was carried out, the caller gets 410 for a deletion that worked and 412 for an update that worked; PATCH is sent once.
# Set `retry: false`, or read again after 410 and 412. A server on 127.0.0.1 that performs the write and answers 503 stands for Google.
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
let version = 1;
let isGone = false;
let sent = [];
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    sent.push(request.method);
    const match = request.headers['if-match'];
    let status = 503;
    if (isGone) status = 410;
    else if (match !== undefined && match !== `"${version}"`) status = 412;
    else if (request.method === 'DELETE') isGone = true;
    else version += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: status, message: 'x', errors: [] } }));
  });
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const { events } = google.calendar({ version: 'v3', auth: 'key', rootUrl: `http://127.0.0.1:${server.address().port}/` });
const at = { calendarId: 'c', eventId: 'e' };
const told = async (call) => {
  sent = [];
  const status = await call().then(({ status }) => status, ({ status }) => status);
  return `${sent.join(' ')} -> ${status}`;
};
const seen = [
  await told(() => events.patch({ ...at, requestBody: { summary: 'new' } }, { headers: { 'If-Match': '"1"' } })),
  await told(() => events.update({ ...at, requestBody: { summary: 'newer' } }, { headers: { 'If-Match': '"2"' } })),
  await told(() => events.delete(at)),
];
server.close();
console.log(seen.join('\n'));
const same = seen.join() === 'PATCH -> 503,PUT PUT -> 412,DELETE DELETE -> 410';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
