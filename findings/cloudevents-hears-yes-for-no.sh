#!/bin/sh
# cloudevents 10.0.0 (December 2025): an event whose data is false arrives without data, or as the text "false", which counts as true.
# CloudEvents 1.0.2, JSON format (3.1): `data` is any JSON value. HTTP binding (3.1.1, 3.1.2): in binary mode the body is the data, of the type in Content-Type.
# Seen: read alone in structured mode, false, 0 and "" are dropped. In binary mode false, 0, true and 5 stay text. In a batch the same
# values are right. structured() of the same package writes them well, so what it sends, it does not read.
# `if (event.data)` takes the refusal in a binary event for consent, and a count of 0 for a missing one. Put values into an object, { "accepted": false }.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent cloudevents@10.0.0
cat >run.mjs <<'JS'
import { CloudEvent, HTTP } from 'cloudevents';
const show = (value) => (value === undefined ? 'nothing' : JSON.stringify(value));
for (const data of [{ accepted: false }, 5, true, false, 0, '']) {
  const attributes = { specversion: '1.0', id: '1', source: '/shop', type: 'visit.answered', datacontenttype: 'application/json' };
  const written = HTTP.structured(new CloudEvent({ ...attributes, data }));
  const structured = HTTP.toEvent(written);
  const [batched] = HTTP.toEvent({ headers: { 'content-type': 'application/cloudevents-batch+json' }, body: `[${written.body}]` });
  const headers = { 'content-type': 'application/json', 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/shop', 'ce-type': 'visit.answered' };
  const binary = HTTP.toEvent({ headers, body: JSON.stringify(data) });
  console.log(`${show(data)}: written ${show(JSON.parse(written.body).data)}, read in a batch ${show(batched.data)}, alone ${show(structured.data)}, in binary mode ${show(binary.data)}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
{"accepted":false}: written {"accepted":false}, read in a batch {"accepted":false}, alone {"accepted":false}, in binary mode {"accepted":false}
5: written 5, read in a batch 5, alone 5, in binary mode "5"
true: written true, read in a batch true, alone true, in binary mode "true"
false: written false, read in a batch false, alone nothing, in binary mode "false"
0: written 0, read in a batch 0, alone nothing, in binary mode "0"
"": written "", read in a batch "", alone nothing, in binary mode ""
WANT
