#!/bin/sh
# namefully 2.2.0: once one name has been read with the family name first, all later names are, and first and last names change places.
# Its README: settings are unique across Namefully objects ("multiton"), and `orderedBy` has the given name first by default.
# Seen: options given to one object are the defaults of each one after it, also of tryParse(). Nothing is thrown or warned.
# A list from Hungary, read with orderedBy: 'lastName', turns round the names of all other customers until the process ends. So does a title.
# Whoever was read before the list is right, so one customer has two names, and a search by family name finds half of them.
# Options with a `name` of their own, which a comment in the types advises, stay apart. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent namefully@2.2.0
cat >run.mjs <<'JS'
import { Namefully } from 'namefully';
const show = (step, name) => console.log(`${step}: first ${name.first}, last ${name.last}`);
show('before', new Namefully('Ann Example'));
show('with orderedBy', new Namefully('Beispiel Ben', { orderedBy: 'lastName' }));
show('after, no options', new Namefully('Ann Example'));
show('after, tryParse', Namefully.tryParse('Ann Example'));
show('after, order stated', new Namefully('Ann Example', { orderedBy: 'firstName' }));
show('named options', new Namefully('Beispiel Ben', { name: 'hungary', orderedBy: 'lastName' }));
show('after those', new Namefully('Ann Example'));
JS
node run.mjs | tee seen
diff seen - <<'WANT'
before: first Ann, last Example
with orderedBy: first Ben, last Beispiel
after, no options: first Example, last Ann
after, tryParse: first Example, last Ann
after, order stated: first Ann, last Example
named options: first Ben, last Beispiel
after those: first Ann, last Example
WANT
