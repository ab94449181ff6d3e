#!/bin/sh
# @ilamy/calendar 3.0.1 (September 2026): its "Export" puts a class of Tuesday evening in New York on Mondays, and one of 09:00 on 08:00 in winter.
# Its README: "strict RFC 5545 compliance". The screen shows the class on Tuesdays at 20:00. Expected: the file means the same.
# Seen: the start is written in UTC, 01:00 on Wednesday, and the rule as it was entered, BYDAY=TU. By the RFC (3.3.10) a rule is of the zone of its start.
# Its first class is in doubt (3.8.5.3: start and rule should agree); every other is a day early, and each class moves where clocks change.
# Late classes west of UTC and early ones east of it are concerned. Two readers agree, ical.js 2.2.1 and node-ical 0.27.2.
# Write such files from the events yourself, with TZID. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
# Its peers beyond these are style sheets. Its modules are for bundlers, so esbuild makes one file of them.
npm install --no-audit --no-fund --silent --legacy-peer-deps @ilamy/calendar@3.0.1 react@19.2.0 react-dom@19.2.0 dayjs@1.11.23 \
  happy-dom@21.0.4 esbuild@0.25.12 ical.js@2.2.1 node-ical@0.27.2
cat >page.mjs <<'JS'
import { dayjs, IlamyCalendar } from '@ilamy/calendar';
import { RRule, recurrencePlugin } from '@ilamy/calendar/plugins/recurrence';
import { createElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
export { RRule, dayjs };
// What the button gives to the browser as a file.
export async function exported(event) {
  const given = new Promise((resolve) => { URL.createObjectURL = (blob) => { resolve(blob.text()); return 'blob:1'; }; });
  const box = document.createElement('div');
  document.body.append(box);
  const props = { events: [event], plugins: [recurrencePlugin()], initialView: 'month', initialDate: event.start };
  flushSync(() => createRoot(box).render(createElement(IlamyCalendar, props)));
  [...box.querySelectorAll('button')].find(({ textContent }) => textContent === 'Export').click();
  return given;
}
JS
cat >run.mjs <<'JS'
import { Window } from 'happy-dom';
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
const window = new Window({ url: 'http://127.0.0.1/' });
const names = ['document', 'navigator', 'HTMLElement', 'Element', 'Node', 'MutationObserver', 'getComputedStyle', 'DocumentFragment', 'HTMLIFrameElement'];
for (const name of names) Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
globalThis.window = window;
globalThis.ResizeObserver = globalThis.IntersectionObserver = class { observe() {} unobserve() {} disconnect() {} };
const { RRule, dayjs, exported } = await import('./page.js');
const zone = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'numeric', hour: '2-digit', minute: '2-digit' });
function byIcalJs(text) {
  const event = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent'));
  const all = event.iterator();
  return [1, 2, 3].map(() => all.next().toJSDate());
}
function byNodeIcal(text) {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find(({ type }) => type === 'VEVENT');
  return nodeIcal.expandRecurringEvent(event, { from: new Date('2026-10-01'), to: new Date('2027-02-01') }).map(({ start }) => start);
}
for (const moment of ['2026-12-01T12:00:00', '2026-12-01T20:00:00', '2026-10-20T09:00:00']) {
  const start = dayjs(moment);
  const rrule = { freq: RRule.WEEKLY, interval: 1, byweekday: [RRule.TU], count: 3, dtstart: start.toDate() };
  const text = await exported({ id: '1', title: 'Class', start, end: start.add(1, 'hour'), rrule });
  console.log(`three Tuesdays from ${zone.format(start.toDate())}: ${text.match(/DTSTART:\S+Z/)[0]} ${text.match(/BYDAY=\w+/)[0]}`);
  for (const [name, read] of [['ical.js', byIcalJs], ['node-ical', byNodeIcal]]) console.log(`  ${name}: ${read(text).map((each) => zone.format(each)).join('; ')}`);
}
process.exit();
JS
node_modules/.bin/esbuild page.mjs --bundle --platform=node --format=cjs --outfile=page.js --log-level=error
TZ=America/New_York node run.mjs | tee seen
diff seen - <<'WANT'
three Tuesdays from Tue 01/12, 12:00: DTSTART:20261201T170000Z BYDAY=TU
  ical.js: Tue 01/12, 12:00; Tue 08/12, 12:00; Tue 15/12, 12:00
  node-ical: Tue 01/12, 12:00; Tue 08/12, 12:00; Tue 15/12, 12:00
three Tuesdays from Tue 01/12, 20:00: DTSTART:20261202T010000Z BYDAY=TU
  ical.js: Mon 07/12, 20:00; Mon 14/12, 20:00; Mon 21/12, 20:00
  node-ical: Mon 07/12, 20:00; Mon 14/12, 20:00; Mon 21/12, 20:00
three Tuesdays from Tue 20/10, 09:00: DTSTART:20261020T130000Z BYDAY=TU
  ical.js: Tue 20/10, 09:00; Tue 27/10, 09:00; Tue 03/11, 08:00
  node-ical: Tue 20/10, 09:00; Tue 27/10, 09:00; Tue 03/11, 08:00
WANT
