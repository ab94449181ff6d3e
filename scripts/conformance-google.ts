// `npm run conformance:google`: tests the known behaviour of Google against its own sandboxes. With a token or a key file,
// it tests Google or a server in its place. Prints a table by section. Exits with 0 only when every test that ran passed.
import { createSign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SERVER_VARIABLES } from '../packages/sandbox/conformance/office/server.ts';
import { runSuite } from '../packages/sandbox/conformance/report/run.ts';
import { googleSuite } from '../packages/sandbox/conformance/suites/google.ts';

const SCOPES = ['calendar', 'spreadsheets'].map((scope) => `https://www.googleapis.com/auth/${scope}`);
const TOKEN_LIFE_SEC = 3600;

const USAGE = `npm run conformance:google -- [options]
  --token TOKEN          ask a server with this access token and not a sandbox; ${SERVER_VARIABLES.token} does the same
  --key-file FILE        the same with a token for this service account
  --calendar ID          the calendar to work in; without one, tests about calendars are skipped
  --spreadsheet ID       the spreadsheet to work in; without one, tests about sheets are skipped
  --calendar-url URL     ask this server for Calendar (https://www.googleapis.com)
  --sheets-url URL       ask this server for Sheets (https://sheets.googleapis.com)
  --read-only            send GETs only
  --write-docs           write ${googleSuite.page} and end
  --rules                print every rule with the tests that show it and end`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readArguments();
  if (typeof options === 'string') return complain(`${options}\n\n${USAGE}`);
  if (options.help) return complain(USAGE);
  const token = options.token ?? process.env[SERVER_VARIABLES.token] ?? (await tokenOf(options['key-file']));
  const names = ['calendar', 'spreadsheet', 'calendar-url', 'sheets-url'] as const;
  const needless =
    token === undefined && (options['read-only'] || names.some((name) => options[name] !== undefined));
  if (needless) return complain(`a server needs --token or --key-file\n\n${USAGE}`);
  return runSuite(googleSuite, {
    variables: {
      ...process.env,
      ...variable('token', token),
      ...variable('calendar', options.calendar),
      ...variable('spreadsheet', options.spreadsheet),
      ...variable('calendarUrl', options['calendar-url']),
      ...variable('sheetsUrl', options['sheets-url']),
      ...variable('readOnly', options['read-only'] ? '1' : undefined),
    },
    writesPage: options['write-docs'],
    listsRules: options.rules,
    refresh: 'npm run conformance:google -- --write-docs',
  });
}

/** The options, or an error message. */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        token: { type: 'string' },
        'key-file': { type: 'string' },
        calendar: { type: 'string' },
        spreadsheet: { type: 'string' },
        'calendar-url': { type: 'string' },
        'sheets-url': { type: 'string' },
        'read-only': { type: 'boolean', default: false },
        'write-docs': { type: 'boolean', default: false },
        rules: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function variable(name: keyof typeof SERVER_VARIABLES, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [SERVER_VARIABLES[name]]: value };
}

/** A one-hour access token for the service account of a key file. */
async function tokenOf(keyFile: string | undefined): Promise<string | undefined> {
  if (keyFile === undefined) return undefined;
  const key = JSON.parse(readFileSync(keyFile, 'utf8')) as {
    client_email: string;
    private_key: string;
    token_uri: string;
  };
  const issuedAt = Math.floor(Date.now() / 1000);
  const claims = {
    iss: key.client_email,
    scope: SCOPES.join(' '),
    // Google checks for this name, whatever token address the key file gives.
    aud: 'https://oauth2.googleapis.com/token',
    iat: issuedAt,
    exp: issuedAt + TOKEN_LIFE_SEC,
  };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const assertion = `${text}.${createSign('RSA-SHA256').update(text).sign(key.private_key, 'base64url')}`;
  const response = await fetch(key.token_uri, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
  });
  const body = (await response.json()) as { access_token?: string; error?: string };
  if (body.access_token === undefined) throw new Error(`no token for the key file: ${body.error}`);
  return body.access_token;
}

function complain(text: string): number {
  console.error(text);
  return 1;
}
