#!/bin/sh
# @jrmdayn/googleapis-batcher 0.10.1 (2026): two changes of calendar events sent at once overwrite what others changed meanwhile.
# RFC 9110 (13.1.1): with If-Match a change is made to that version only. Its README: use Google's client as normal, and the calls of a tick go as one.
# Seen: a call alone is sent as it is. If two go at once over gaxios 8, as Google's clients do today, their headers are called 0, 1 and 2.
# Name and value stand behind that, so If-Match is lost, and the stale change is made, with 200. Over gaxios 6 the names stay, but
# "2" becomes &quot;2&quot;, and the right change is refused with 412. Its package asks for gaxios 5 or newer.
# A booking that staff moved on the phone is moved back. Send what has If-Match without the batch. Needs node and npm.
# A server on 127.0.0.1 with two events in version 2 stands for Google. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent --legacy-peer-deps @jrmdayn/googleapis-batcher@0.10.1 \
  gaxios-8@npm:@googleapis/calendar@20.0.1 gaxios-6@npm:@googleapis/calendar@9.8.0
cat >run.mjs <<'JS'
import { createServer } from 'node:http';
import { batchFetchImplementation } from '@jrmdayn/googleapis-batcher';
const ETAG = '"2"';
const changed = (match) => (match === undefined || match === ETAG ? [200, 'OK'] : [412, 'Precondition Failed']);
let headers = '';
const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const text = Buffer.concat(chunks).toString();
  if (!request.url.startsWith('/batch')) {
    const [status] = changed(request.headers['if-match']);
    return response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }
  // One call in each part: its line, its headers, an empty line, its body.
  const calls = text.split(/^--.*$/m).filter((part) => part.includes(' HTTP/1.1')).map((part) => part.trim().split(/\r?\n\r?\n/)[1].split(/\r?\n/));
  const fields = calls.map((lines) => Object.fromEntries(lines.slice(1).map((line) => [line.split(':')[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])));
  headers = `${calls[0].find((line) => /if-match/i.test(line))}`;
  const answers = fields.map((each) => `--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ${changed(each['if-match']).join(' ')}\r\nContent-Type: application/json\r\n\r\n{}\r\n`);
  return response.writeHead(200, { 'content-type': 'multipart/mixed; boundary=b' }).end(`${answers.join('')}--b--\r\n`);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
for (const client of ['gaxios-8', 'gaxios-6']) {
  const { calendar } = await import(client);
  const options = { version: 'v3', rootUrl: `http://127.0.0.1:${server.address().port}/`, fetchImplementation: batchFetchImplementation() };
  const { events } = calendar(options);
  const patch = (eventId, tag) =>
    events.patch({ calendarId: 'shop', eventId, requestBody: { summary: 'moved' } }, { headers: { 'If-Match': tag } }).then(({ status }) => status, ({ status }) => status);
  console.log(`${client}, one after the other: right version ${await patch('1', ETAG)}, old version ${await patch('2', '"1"')}`);
  const [right, old] = await Promise.all([patch('1', ETAG), patch('2', '"1"')]);
  console.log(`${client}, at once: right version ${right}, old version ${old}, sent as ${headers}`);
}
server.close();
process.exit();
JS
node run.mjs | tee seen
diff seen - <<'WANT'
gaxios-8, one after the other: right version 200, old version 412
gaxios-8, at once: right version 200, old version 200, sent as 2: if-match,&quot;2&quot;
gaxios-6, one after the other: right version 200, old version 412
gaxios-6, at once: right version 412, old version 412, sent as If-Match: &quot;2&quot;
WANT
