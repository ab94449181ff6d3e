#!/usr/bin/env bash
# @git-stunts/alfred 0.10.3 (March 2026): after the "total deadline" has thrown TimeoutError, the retries go on, and one of them books.
# Its README puts Policy.timeout() around Policy.retry() and calls it the total deadline. Expected: no further attempt begins after it.
# Seen: the timeout tells its caller alone. The retry inside hears of no signal, and tries until it succeeds or its attempts are used up.
# The same holds for compose() and for timeout() around retry(). A signal given to retry() oneself ends it.
# The customer reads that the booking failed and books again, while the first one is made. Give retry() an AbortSignal of the deadline.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @git-stunts/alfred@0.10.3
cat >run.mjs <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
import { compose, Policy, retry, timeout } from '@git-stunts/alfred';
const DEADLINE_MS = 900;
const options = { retries: 5, delay: 600 };
const ways = {
  'Policy.timeout().wrap(Policy.retry())': (book) => Policy.timeout(DEADLINE_MS).wrap(Policy.retry(options)).execute(book),
  'compose(timeout, retry)': (book) => compose(Policy.timeout(DEADLINE_MS), Policy.retry(options)).execute(book),
  'timeout() around retry()': (book) => timeout(DEADLINE_MS, () => retry(book, options)),
  'retry() with a signal': (book) => retry(book, { ...options, signal: AbortSignal.timeout(DEADLINE_MS) }),
};
for (const [name, call] of Object.entries(ways)) {
  let tries = 0;
  let booked = 'nothing is booked';
  // The calendar is away for the first four requests.
  const book = async () => {
    tries += 1;
    if (tries < 5) throw new Error('away');
    booked = 'a booking is made';
  };
  const error = await call(book).catch((error) => error.name);
  const before = tries;
  await sleep(3_000);
  console.log(`${name}: ${error} after ${before} tries, then ${tries - before} more, and ${booked}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
Policy.timeout().wrap(Policy.retry()): TimeoutError after 2 tries, then 3 more, and a booking is made
compose(timeout, retry): TimeoutError after 2 tries, then 3 more, and a booking is made
timeout() around retry(): TimeoutError after 2 tries, then 3 more, and a booking is made
retry() with a signal: AbortError after 2 tries, then 0 more, and nothing is booked
WANT
