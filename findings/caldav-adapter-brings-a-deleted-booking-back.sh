#!/bin/sh
# caldav-adapter 9.3.8: a change made to an event that someone else has deleted brings it back, and a stale delete removes what was changed.
# RFC 9110 (13.1.1): with If-Match a method must not be performed where the tag is not that of the current resource, or none exists.
# Its source names that rule "to prevent silent concurrent overwrites". Seen: only a PUT to an event that exists is refused with 412.
# A PUT with If-Match to a deleted one makes it again and answers 201, also with "*". A DELETE never looks at If-Match and answers 204.
# Two people at one calendar: a cancelled booking is there again, and a booking just moved to another hour is lost. Neither of them is told.
# Compare the tags in `createEvent` and `deleteEvent` yourself. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent caldav-adapter@9.3.8 koa@3.3.0
cat >run.cjs <<'JS'
const { createHash } = require('node:crypto');
const adapter = require('caldav-adapter');
const Koa = require('koa');
const stored = new Map();
const save = async (ctx, { eventId }) => {
  stored.set(eventId, { eventId, ical: ctx.request.body });
  return stored.get(eventId);
};
const calendar = { name: 'Shop', synctoken: 'http://shop.example/1' };
const data = {
  getCalendar: async () => calendar,
  getCalendarId: () => 'shop',
  getETag: (ctx, { ical }) => `"${createHash('sha256').update(ical).digest('hex')}"`,
  getEvent: async (ctx, { eventId }) => stored.get(eventId),
  createEvent: save,
  updateEvent: save,
  deleteEvent: async (ctx, { eventId }) => stored.delete(eventId),
};
const app = new Koa().use(adapter({ authenticate: async () => ({ principalId: 'ann', principalName: 'Ann' }), data }));
const server = app.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/cal/ann/shop/1.ics`;
  async function call(method, hour, tag) {
    const headers = { authorization: `Basic ${btoa('ann:secret')}`, 'content-type': 'text/calendar', ...(tag && { 'if-match': tag }) };
    const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20261101T000000Z', `DTSTART:20261215T${hour}0000Z`, 'END:VEVENT', 'END:VCALENDAR', ''];
    const answer = await fetch(url, { method, headers, ...(method === 'PUT' && { body: lines.join('\r\n') }) });
    await answer.text();
    const [one] = stored.values();
    console.log(`${method}${hour ? ` ${hour}:00` : ''}, If-Match ${tag?.length > 9 ? 'old' : (tag ?? 'none')}: ${answer.status}, stored ${one?.ical.match(/T(\d\d)0000Z\r\nEND/)[1] ?? 'nothing'}`);
    return answer.headers.get('etag');
  }
  const old = await call('PUT', '10');
  await call('PUT', '11');
  await call('PUT', '12', old);
  await call('DELETE', '', old);
  await call('PUT', '12', old);
  await call('DELETE', '');
  await call('PUT', '13', '*');
  server.close();
});
JS
node run.cjs | tee seen
diff seen - <<'WANT'
PUT 10:00, If-Match none: 201, stored 10
PUT 11:00, If-Match none: 204, stored 11
PUT 12:00, If-Match old: 412, stored 11
DELETE, If-Match old: 204, stored nothing
PUT 12:00, If-Match old: 201, stored 12
DELETE, If-Match none: 204, stored nothing
PUT 13:00, If-Match *: 201, stored 13
WANT
