/** What a running sandbox offers, for the text of `slotbridge sandbox`. */
export interface RunningSandbox {
  readonly platformUrl: string;
  readonly apiKey: string;
  readonly googleUrl: string;
  readonly keyFile: string;
  /** The page to watch and play with. */
  readonly pageUrl: string;
  /** A service that can be booked. */
  readonly serviceId: string;
  /** Calendar of Anna Petrova. */
  readonly calendarId: string;
  /** With `--like`: the copy of the mapping with the addresses of the sandbox. */
  readonly config?: string;
}

/** The addresses, and how to continue. `data`: the folder of the key file, absent for the usual one. */
export function sandboxText(
  running: RunningSandbox,
  { workerPort, data }: { readonly workerPort: number; readonly data?: string | undefined },
): string {
  const { platformUrl, apiKey, googleUrl, keyFile, pageUrl, serviceId, calendarId, config } = running;
  const inFolder = data === undefined ? '' : ` --data ${data}`;
  const given = config === undefined ? '' : ` --config ${config}`;
  const setUp =
    config === undefined ? `  slotbridge init --sandbox --yes --calendar "Anna Petrova=${calendarId}"\n` : '';
  return `The platform  ${platformUrl}   (Authorization: Bearer ${apiKey})
Google        ${googleUrl}
Key file      ${keyFile}

Watch and play in a browser: ${pageUrl}

In another terminal:
${setUp}  slotbridge start${given}

Once that worker runs, its web console: http://127.0.0.1:${workerPort}/console
This prints a link that signs you in:
  slotbridge console login --as ops${given}

In a third terminal, book as a customer and look at the result:
  slotbridge sandbox --book${inFolder}
  slotbridge sandbox --show${inFolder}

Or with curl:
  curl -s ${platformUrl}/appointments -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' -H "Idempotency-Key: try-$(date +%s)" \\
    -d '{"service_id":"${serviceId}","starts_at":"'$(date -u -d '+1 day' +%Y-%m-%dT%H:00:00Z)'","customer_name":"Vera Orlova","customer_phone":"+74950001101"}'
  curl -s ${googleUrl}/_sandbox/truth/calendars/${calendarId}/events

What happened so far: ${new URL('/_sandbox', platformUrl).href}/stats. Ctrl-C ends everything.`;
}
