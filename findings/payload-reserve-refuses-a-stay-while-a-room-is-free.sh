#!/bin/sh
# payload-reserve 4.4.2 (with payload 3.86.0): a stay of two nights is refused although one of the two rooms is free on both.
# Its README: `quantity > 1` allows multiple concurrent bookings per resource, and its hotel has pools of rooms. Expected: what counts is how many at once.
# Seen: all bookings that touch the asked time are added up. Monday for Ann and Tuesday for Ben need one room, and count as two.
# The longer a stay, the more short ones it touches, so the best guests are sent away first from a house that is half empty.
# In a salon, two half hours one after the other close both chairs for the hour. A night, or a half hour, alone is right.
# The answer is "All units are booked for this time", and getAvailableSlots() offers nothing. Make one resource for each room.
# Lists in memory stand for the database here. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent --ignore-scripts --legacy-peer-deps payload-reserve@4.4.2 payload@3.86.0
cat >run.mjs <<'JS'
import { checkAvailability, DEFAULT_STATUS_MACHINE, getAvailableSlots } from 'payload-reserve';
const booking = (id, resource, from, to) => ({ id, resource, service: resource, status: 'confirmed', startTime: `2026-06-${from}:00.000Z`, endTime: `2026-06-${to}:00.000Z` });
const reservations = [
  booking('Ann', 'room', '01T14:00', '02T10:00'), booking('Ben', 'room', '02T14:00', '03T10:00'),
  booking('Cleo', 'chair', '08T10:00', '08T10:30'), booking('Dan', 'chair', '08T10:30', '08T11:00'),
];
const schedules = [{ id: 'hour', resource: 'chair', active: true, scheduleType: 'manual', manualSlots: [{ date: '2026-06-08', startTime: '10:00', endTime: '11:00' }] }];
const payload = {
  // Both rooms, or both chairs; and how long a service lasts.
  findByID: async ({ id, collection }) => (collection === 'resources' ? { id, quantity: 2 } : { id, duration: minutes }),
  find: async ({ collection, where }) => {
    if (collection === 'schedules') return { docs: schedules };
    const asked = Object.assign({}, ...where.and.map(({ startTime, endTime }) => ({ ...startTime, ...endTime })));
    const resource = where.and.find((part) => part.or).or[0].resource.equals;
    return { docs: reservations.filter((one) => one.resource === resource && one.startTime < asked.less_than && one.endTime > asked.greater_than) };
  },
  logger: console,
};
let minutes = 60;
const base = { blockingStatuses: DEFAULT_STATUS_MACHINE.blockingStatuses, guestCount: 1, payload, req: {}, reservationSlug: 'reservations', resourceSlug: 'resources' };
for (const [name, from, to] of [['Monday night', '01T14:00', '02T10:00'], ['Tuesday night', '02T14:00', '03T10:00'], ['both nights', '01T14:00', '03T10:00']]) {
  const { startTime, endTime } = booking('Eve', 'room', from, to);
  const answer = await checkAvailability({ ...base, bufferAfter: 0, bufferBefore: 0, resourceId: 'room', servicesSlug: 'services', startTime: new Date(startTime), endTime: new Date(endTime) });
  console.log(`${name}: ${answer.available ? 'free' : answer.reason}, ${answer.currentCount} of ${answer.totalCapacity} taken (right: 1)`);
}
for (minutes of [30, 60]) {
  const { slots } = await getAvailableSlots({ ...base, date: '2026-06-08', resourceId: 'chair', scheduleSlug: 'schedules', serviceId: 'cut', serviceSlug: 'services', timeZone: 'UTC' });
  console.log(`cut of ${minutes} minutes: ${slots.map((slot) => slot.start.toISOString().slice(11, 16)).join(' ') || 'nothing'} (one chair is free all the time)`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
Monday night: free, 1 of 2 taken (right: 1)
Tuesday night: free, 1 of 2 taken (right: 1)
both nights: All units are booked for this time, 2 of 2 taken (right: 1)
cut of 30 minutes: 10:00 10:30 (one chair is free all the time)
cut of 60 minutes: nothing (one chair is free all the time)
WANT
