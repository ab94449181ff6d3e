#!/bin/sh
# yaml 2.9.1: a note whose first line is long and begins with a space comes back with its line breaks in other places.
# Expected: parse(stringify(value)) gives the value back. js-yaml 5.5.0 writes such a text so that both read it right.
# Seen: it is folded, although YAML 1.2.2 (8.1.3) keeps the breaks around an indented line. Its end becomes a line of its own, joined by the next one.
# As the whole document, such a text loses a space or cannot be read. Both are known (eemeli/yaml#708, #692). An address or a list in somebody's
# note changes when a program reads and writes it. Set `blockQuote: 'literal'`, or `lineWidth: 0`. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent yaml@2.9.1 js-yaml@5.5.0
cat >run.mjs <<'JS'
import { dump, load } from 'js-yaml';
import { parse, stringify } from 'yaml';
const note = ' - Please bring the form that we sent last week, and the card of your insurance, and come early\nThank you\n';
const lines = (text) => JSON.stringify(text.trimEnd().split('\n').map((line) => line.slice(-14)));
const seen = Object.entries({
  yaml: stringify({ note }),
  'js-yaml': dump({ note }),
  'yaml, literal': stringify({ note }, { blockQuote: 'literal' }),
  'yaml, no width': stringify({ note }, { lineWidth: 0 }),
}).flatMap(([name, text]) => [
  `written by ${name}, read by yaml: ${lines(parse(text).note)}`,
  `written by ${name}, read by js-yaml: ${lines(load(text).note)}`,
]);
const root = parse(stringify('  two spaces\n'));
console.log(`the note ends its lines so: ${lines(note)}\n${seen.join('\n')}\nthe whole document: ${JSON.stringify(root)}`);
const [right, wrong] = ['["nd come early","Thank you"]', '["e card of your","arly Thank you"]'];
const ends = seen.map((each) => each.slice(each.indexOf('[')));
const same = ends.every((each, at) => each === (at < 2 ? wrong : lines(note))) && root === ' two spaces\n';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
