#!/bin/sh
# @hookflo/tern 4.1.0 (May 2026): a genuine webhook is refused as "Invalid signature" when a text in it holds $$, $& or $'.
# Standard Webhooks signs id.timestamp.body over the body as it stands. standardwebhooks 1.1.1 accepts each of these requests.
# Seen: the body is put into its place by replace(), which takes $$ for one dollar and $& for the place itself, so another text is checked.
# A customer whose comment says "US$$" or "$'s" can never be delivered: the sender repeats it for days, and switches the endpoint off. One dollar is fine.
# Verify with another library, or compute the signature oneself. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @hookflo/tern@4.1.0 standardwebhooks@1.1.1
cat >run.mjs <<'JS'
import { WebhookVerificationService } from '@hookflo/tern';
import { Webhook } from 'standardwebhooks';
const secret = `whsec_${Buffer.from('a key of this test, 24 b').toString('base64')}`;
const right = new Webhook(secret);
async function show(comment) {
  const body = JSON.stringify({ type: 'appointment.created', data: { comment } });
  const now = new Date();
  const headers = { 'webhook-id': 'one', 'webhook-timestamp': String(Math.floor(now / 1000)), 'webhook-signature': right.sign('one', now, body) };
  const isRight = right.verify(body, headers).data.comment === comment;
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body });
  const result = await WebhookVerificationService.verify(request, { platform: 'dodopayments', secret });
  return `${comment}: standardwebhooks ${isRight}, tern ${result.isValid} ${result.error ?? ''}`.trim();
}
const seen = [];
for (const comment of ['no price', 'pays $50', 'pays US$$50', 'cut $& wash', "it is $'s"]) seen.push(await show(comment));
console.log(seen.join('\n'));
const refused = 'standardwebhooks true, tern false Invalid signature';
const accepted = 'standardwebhooks true, tern true';
const expected = [`no price: ${accepted}`, `pays $50: ${accepted}`, `pays US$$50: ${refused}`, `cut $& wash: ${refused}`, `it is $'s: ${refused}`];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
