#!/bin/sh
# ts-caldav 0.3.7: what getEvents() has read and updateEvent() writes back unchanged is another event, and the server is told to replace the first.
# Expected: the same event, or a word about what is not understood; unknown properties are kept as `customFields`, so a caller takes the object for whole.
# Seen: the last working day of each month (BYSETPOS, RFC 5545 3.3.10) becomes every working day; a whole day gets one day longer with each write, as
# DTEND, which does not belong to the event (3.6.1), is read as it stands and written one later; a guest who had accepted (PARTSTAT, 3.2.12) has not.
# Change the text that the server sent, and not the object. A server on 127.0.0.1 keeps what it is given. The process is in UTC.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ts-caldav@0.3.7
cat >run.mjs <<'JS'
import http from 'node:http';
import { CalDAVClient } from 'ts-caldav';
let stored;
const props = () => `<d:current-user-principal><d:href>/me/</d:href></d:current-user-principal><c:calendar-home-set><d:href>/calendars/</d:href></c:calendar-home-set>
  <d:getetag>"1"</d:getetag><c:calendar-data>${stored}</c:calendar-data>`;
const server = http.createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  if (request.method === 'PUT') {
    stored = body;
    response.writeHead(204, { etag: '"2"' }).end();
    return;
  }
  response.writeHead(207, { 'content-type': 'application/xml' }).end(`<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:response>
    <d:href>/lessons/1.ics</d:href><d:propstat><d:prop>${props()}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const client = await CalDAVClient.create({ baseUrl: `http://127.0.0.1:${server.address().port}`, auth: { type: 'basic', username: 'shop', password: 'x' } });
async function written(lines, name, times = 1) {
  stored = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20261101T000000Z', ...lines,
    'SUMMARY:Class', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  for (let time = 0; time < times; time++) {
    const [event] = await client.getEvents('/lessons/', { all: true });
    await client.updateEvent('/lessons/', event);
  }
  return stored.split('\r\n').find((line) => line.startsWith(name));
}
const hours = ['DTSTART:20261130T090000Z', 'DTEND:20261130T100000Z'];
const seen = [
  await written([...hours, 'RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=12'], 'RRULE'),
  await written(['DTSTART;VALUE=DATE:20261207', 'DTEND;VALUE=DATE:20261208'], 'DTEND', 3),
  await written([...hours, 'ORGANIZER:mailto:shop@example.com', 'ATTENDEE;CN=Ann;PARTSTAT=ACCEPTED:mailto:ann@example.com'], 'ATTENDEE'),
];
server.close();
console.log(seen.join('\n'));
const expected = ['RRULE:FREQ=MONTHLY;INTERVAL=1;COUNT=12;BYDAY=MO,TU,WE,TH,FR', 'DTEND;VALUE=DATE:20261211', 'ATTENDEE:mailto:ann@example.com'];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
TZ=UTC node run.mjs
