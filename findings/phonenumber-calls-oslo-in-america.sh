#!/bin/sh
# @reallyuseful/phonenumber 2.0.0: a number in Oslo, Copenhagen, Brussels or Singapore is valid, and a number in America.
# Its README: it determines whether a number is one of the US or Canada, and gives E.164, meant for the database.
# Seen: a plus sign counts for nothing. Where ten digits follow, the country code and what stands behind it count as an area code.
# So +47 22 00 00 00 becomes +14722000000, and valid() says true. Other lengths are refused, so a test with London or Berlin finds nothing.
# The guest's own number is gone from the database, and her reminders go to a stranger. libphonenumber-js 1.13.16 reads the country.
# Refuse what begins with a plus and no 1 before asking it. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @reallyuseful/phonenumber@2.0.0 libphonenumber-js@1.13.16
cat >run.cjs <<'JS'
const PhoneNumber = require('@reallyuseful/phonenumber');
const { parsePhoneNumberFromString } = require('libphonenumber-js');
for (const text of ['+1 212 200 0000', '+47 22 00 00 00', '+45 33 20 00 00', '+32 2 200 00 00', '+65 6200 0000', '+44 20 7946 0000', '+49 30 23125 000']) {
  const seen = PhoneNumber.valid(text) ? PhoneNumber.formatStandard(text) : 'refused';
  console.log(`${text}: ${seen} (in ${parsePhoneNumberFromString(text).country})`);
}
JS
node run.cjs | tee seen
diff seen - <<'WANT'
+1 212 200 0000: +12122000000 (in US)
+47 22 00 00 00: +14722000000 (in NO)
+45 33 20 00 00: +14533200000 (in DK)
+32 2 200 00 00: +13222000000 (in BE)
+65 6200 0000: +16562000000 (in SG)
+44 20 7946 0000: refused (in GB)
+49 30 23125 000: refused (in DE)
WANT
