#!/bin/sh
# caldav-adapter 9.3.8: a search for the visits of a guest finds only those where the guest is the first to be named.
# RFC 4791 (9.7.2): a filter matches where a property of that name matches. The example in 7.8.7 finds an event by its second ATTENDEE.
# Seen: its calendar-query compares the first line of that name in the first VEVENT. Other guests, and days that were moved, are never compared.
# A text in an alarm counts as one of its event: "without DESCRIPTION" leaves out an event whose reminder has one. All answers are 207.
# Ben's visits seem free of Ann, and a room that is the second guest of a meeting seems unused. Take all events, and filter them yourself.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent caldav-adapter@9.3.8 koa@3.3.0
cat >run.cjs <<'JS'
const adapter = require('caldav-adapter');
const Koa = require('koa');
const event = (...lines) => ['BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20261101T000000Z', 'DTSTART:20261215T100000Z', ...lines, 'END:VEVENT'];
const guests = ['ATTENDEE:mailto:ann@shop.example', 'ATTENDEE:mailto:ben@shop.example'];
const moved = event('RECURRENCE-ID:20261222T100000Z', 'SUMMARY:Moved');
const alarm = ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER:-PT15M', 'DESCRIPTION:Soon', 'END:VALARM'];
const body = [...event('RRULE:FREQ=WEEKLY', 'SUMMARY:Visit', ...guests, ...alarm), ...moved];
const ical = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...body, 'END:VCALENDAR', ''].join('\r\n');
const calendar = { name: 'Shop', synctoken: 'http://shop.example/1' };
const data = {
  getCalendar: async () => calendar,
  getCalendarId: () => 'shop',
  getETag: () => '"1"',
  getEventsForCalendar: async () => [{ eventId: '1', ical }],
};
const app = new Koa().use(adapter({ authenticate: async () => ({ principalId: 'ann', principalName: 'Ann' }), data }));
const server = app.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/cal/ann/shop/`;
  const headers = { authorization: `Basic ${btoa('ann:secret')}`, 'content-type': 'application/xml', depth: '1' };
  async function search(name, text) {
    const inside = text ? `<C:text-match>${text}</C:text-match>` : '<C:is-not-defined/>';
    const filter = `<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="${name}">${inside}</C:prop-filter></C:comp-filter></C:comp-filter>`;
    const query = `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/></D:prop><C:filter>${filter}</C:filter></C:calendar-query>`;
    const answer = await fetch(url, { method: 'REPORT', headers, body: query });
    const found = (await answer.text()).includes('1.ics') ? 'found' : 'not found';
    console.log(`${name} ${text ?? 'is not defined'}: ${answer.status}, ${found}`);
  }
  await search('ATTENDEE', 'mailto:ann@shop.example');
  await search('ATTENDEE', 'mailto:ben@shop.example');
  await search('SUMMARY', 'visit');
  await search('SUMMARY', 'moved');
  await search('LOCATION');
  await search('DESCRIPTION');
  server.close();
});
JS
node run.cjs | tee seen
diff seen - <<'WANT'
ATTENDEE mailto:ann@shop.example: 207, found
ATTENDEE mailto:ben@shop.example: 207, not found
SUMMARY visit: 207, found
SUMMARY moved: 207, not found
LOCATION is not defined: 207, found
DESCRIPTION is not defined: 207, not found
WANT
