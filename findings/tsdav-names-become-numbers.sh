#!/bin/sh
# tsdav 2.3.4: a calendar called 2026 has a number for its name, one called 1e3 is called 1000, and one called true has a boolean.
# RFC 4918 (15.2) makes DAV:displayname any text, and the types of tsdav promise a string or an object. A description of CalDAV that is such a text is dropped.
# Seen: the name is changed, not only its type, so looking a calendar up by the name that people see finds nothing, and name.trim() throws.
# Compare String(displayName), and look a calendar up by its address where a name can be such a text. A server on 127.0.0.1 answers as RFC 4918 (9.1) asks.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent tsdav@2.3.4
cat >run.mjs <<'JS'
import { createServer } from 'node:http';
import { fetchCalendars } from 'tsdav';
const names = ['Chair 1', '007', '2026', '1e3', 'true'];
const one = (name, at) => `<d:response><d:href>/ann/${at}/</d:href><d:propstat><d:prop><d:displayname>${name}</d:displayname><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>
<c:calendar-description>${name}</c:calendar-description><c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
const server = createServer((_request, response) => {
  response.writeHead(207, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${names.map(one).join('')}</d:multistatus>`);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const serverUrl = `http://127.0.0.1:${server.address().port}/`;
const calendars = await fetchCalendars({ account: { accountType: 'caldav', serverUrl, rootUrl: serverUrl, homeUrl: serverUrl } });
server.close();
const seen = calendars.map((calendar, at) => `${names[at]}: ${typeof calendar.displayName} ${calendar.displayName}, description "${calendar.description}"`);
console.log(seen.join('\n'));
const same = seen.join('|') === ['Chair 1: string Chair 1, description "Chair 1"', '007: string 007, description "007"', '2026: number 2026, description ""',
  '1e3: number 1000, description ""', 'true: boolean true, description ""'].join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
