import { wireText } from './judge/company.ts';
import type { Stage } from './stage.ts';

/** The text for `--keep`: where everything is and how to explore it, with lines to paste into a shell. */
export function tourOf(
  stage: Stage,
  { key, pageUrl, link }: { readonly key: string; readonly pageUrl: string; readonly link: string },
): string {
  const { platform, google, worker, mapping, company, folder } = stage;
  const control = new URL('/_sandbox', platform.url).href;
  const [resourceId = '', calendarId = ''] = [...mapping.calendars][0] ?? [];
  const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
  const booking = {
    service_id: company.serviceIds[0],
    resource_id: company.personIds[0] ?? resourceId,
    starts_at: `${tomorrow}T12:00:00Z`,
    customer_name: 'Curious Visitor',
    customer_phone: '+79120000000',
  };
  return `
Everything is still running. Webhooks now arrive; nothing is spoilt any more.
  worker    ${worker.url}   log: ${worker.logFile}
  platform  ${platform.url}   key: ${key}
  Google    ${google.url}
  mapping   ${stage.configFile}

Watch and play in a browser: ${pageUrl}
The worker's own console:    ${worker.url}/console
  sign in, once, within ten minutes: ${link}
  another link: ${stage.commands} console login --as ops

How is the worker? (This script takes every command of slotbridge.)
  ${stage.commands} status
  curl -s ${worker.url}/metrics
Make a booking (409: the time is taken, try another):
  curl -s -X POST ${platform.url}/appointments -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -H "Idempotency-Key: $RANDOM$RANDOM" -d '${JSON.stringify(booking)}'
See it in the calendar of ${nameOf(stage, wireText(booking.resource_id))}, and in the sheet:
  curl -s ${google.url}/_sandbox/truth/calendars/${encodeURIComponent(mapping.calendars.get(wireText(booking.resource_id)) ?? calendarId)}/events
  curl -s '${google.url}/_sandbox/truth/spreadsheets/${mapping.spreadsheetId}/values?tab=Appointments'
What the platform says:
  curl -s ${control}/truth/appointments
Lose every webhook, and see the feed bring it:
  curl -s -X PATCH ${control}/delivery -H 'Content-Type: application/json' -d '{"loseShare":1}'

Ctrl-C ends it all and removes ${folder}.
`;
}

function nameOf(stage: Stage, resourceId: string): string {
  const resource = stage.platform.truth.resources().find((one) => one['id'] === resourceId);
  return wireText(resource?.['name']);
}
