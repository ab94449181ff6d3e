#!/bin/sh
# vcard-creator 1.0.0: ical.js 2.2.1 cannot read a contact with a time zone as in its README, nor the contacts around it.
# RFC 2426 (3.4.1), which the README names for addTimezone(): TZ is an offset such as -05:00. A name is a text and has to say VALUE=text.
# Seen: addTimezone('Europe/Brussels') writes "TZ:Europe/Brussels". ical.js reads an offset there, as the RFC says, and gives up the whole file.
# An offset is fine. So is the same name as a custom property with VALUE=text, and a file of two contacts is read again.
# An address book that goes to an importer over ical.js arrives empty, because of one zone. Write the zone by addCustomProperty().
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent vcard-creator@1.0.0 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { VCard } from 'vcard-creator';
const card = (givenName) => new VCard().addName({ givenName, familyName: 'Doe' });
const ann = card('Ann');
const ways = {
  'no zone': card('Ben'),
  'an offset': card('Ben').addTimezone('+01:00'),
  'a name': card('Ben').addTimezone('Europe/Brussels'),
  'a name as text': card('Ben').addCustomProperty({ name: 'TZ', params: 'VALUE=text', value: 'Europe/Brussels' }),
};
function read(text) {
  try {
    const contacts = ICAL.parse(text).map((one) => new ICAL.Component(one));
    return contacts.map((one) => [one.getFirstPropertyValue('fn'), one.getFirstPropertyValue('tz')].filter(Boolean).join(' ')).join(', ');
  } catch (error) {
    return error.message;
  }
}
for (const [name, ben] of Object.entries(ways)) {
  const text = ann.concat(ben);
  console.log(`${name}, ${/^TZ.*$/m.exec(text)?.[0] ?? 'no TZ'}: ${read(text)}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
no zone, no TZ: Ann Doe, Ben Doe
an offset, TZ:+01:00: Ann Doe, Ben Doe +01:00
a name, TZ:Europe/Brussels: Could not extract integer from "ur"
a name as text, TZ;VALUE=text:Europe/Brussels: Ann Doe, Ben Doe Europe/Brussels
WANT
