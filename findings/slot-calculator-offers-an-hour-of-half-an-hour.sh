#!/bin/sh
# slot-calculator 2.2.1: a room that is open until 12:30 is offered from 12:00 to 13:00, as soon as its hours carry `metadata`.
# Its types say that metadataAvailable lists the metadata "which is available for this slot", and `duration` is the length of each slot.
# Seen: a minute without any entry changes nothing for a room. Whoever is free in the first minute of a slot counts as free to its end.
# The same hours without metadata give no such slot. With metadata it is right where another entry covers the rest, such as a second room.
# The README tells several users apart by metadata, so every closing time inside a slot is overbooked. Add the closed time as `unavailability`.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent slot-calculator@2.2.1
cat >run.mjs <<'JS'
import { getSlots } from 'slot-calculator';
const hours = (to, name) => ({ day: 'Monday', from: '10:00', to, timezone: 'UTC', ...(name && { metadata: { name } }) });
function offered(availability, unavailability = []) {
  const { availableSlots } = getSlots({ from: '2026-12-07T10:00:00Z', to: '2026-12-07T14:00:00Z', duration: 60, availability, unavailability });
  return availableSlots.map(({ from, to, metadataAvailable = [] }) => {
    const names = metadataAvailable.map(({ name }) => name).join(' and ');
    return `${from.slice(11, 16)}-${to.slice(11, 16)}${names && ` ${names}`}`;
  }).join(', ');
}
console.log(`open until 12:30, without metadata: ${offered([hours('12:30')])}`);
console.log(`open until 12:30, with metadata: ${offered([hours('12:30', 'Room 1')])}`);
console.log(`beside a room until 13:00: ${offered([hours('12:30', 'Room 1'), hours('13:00', 'Room 2')])}`);
const closed = { from: '2026-12-07T12:30:00Z', to: '2026-12-07T14:00:00Z', metadata: { name: 'Room 1' } };
console.log(`with the closed time named: ${offered([hours('12:30', 'Room 1')], [closed])}`);
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
open until 12:30, without metadata: 10:00-11:00, 11:00-12:00
open until 12:30, with metadata: 10:00-11:00 Room 1, 11:00-12:00 Room 1, 12:00-13:00 Room 1
beside a room until 13:00: 10:00-11:00 Room 1 and Room 2, 11:00-12:00 Room 1 and Room 2, 12:00-13:00 Room 2
with the closed time named: 10:00-11:00 Room 1, 11:00-12:00 Room 1
WANT
