// `npm run conformance`: tests the platform's document against its own sandboxes or, with --base-url and --key, any
// server. Prints a table by section. Exits with 0 only when every test that ran passed.
import { parseArgs } from 'node:util';
import { deliveryFindings } from '../packages/sandbox/conformance/findings/receiver.ts';
import { findings, findingsText } from '../packages/sandbox/conformance/findings/report.ts';
import { runSuite } from '../packages/sandbox/conformance/report/run.ts';
import { foreignServer, SERVER_VARIABLES } from '../packages/sandbox/conformance/stage/server.ts';
import { platformSuite } from '../packages/sandbox/conformance/suites/platform.ts';

const RECEIVER_WAIT_SEC = 60;

const USAGE = `npm run conformance -- [options]
  --base-url URL         ask this server (with its version segment) and not a sandbox
  --key KEY              its API key; CONFORMANCE_KEY does the same
  --read-only            send GETs only, and report what was learned about what the document does not show
  --hook-url URL         where webhook endpoints that the tests create point to; the default never resolves
  --receiver-port PORT   with --read-only: listen there for one delivery of an endpoint that leads here
  --receiver-wait SEC    for how long (${RECEIVER_WAIT_SEC})
  --write-docs           write ${platformSuite.page} and end
  --rules                print every rule with the tests that show it and end`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'string') return complain(options);
  const variables = { ...process.env, ...options.variables };
  return runSuite(platformSuite, {
    variables,
    writesPage: options.writeDocs,
    listsRules: options.listsRules,
    refresh: 'npm run conformance -- --write-docs',
    afterwards: async () => {
      const server = foreignServer(variables);
      return server?.isReadOnly
        ? `what the document does not show, as it was found here:\n${await learn(server, options)}`
        : undefined;
    },
  });
}

type Options = Exclude<ReturnType<typeof readOptions>, string>;

/** The options, or an error message. */
function readOptions() {
  const values = readArguments();
  if (typeof values === 'string') return `${values}\n\n${USAGE}`;
  if (values.help) return USAGE;
  const baseUrl = values['base-url'];
  const key = values.key ?? process.env[SERVER_VARIABLES.key];
  if ((baseUrl === undefined) !== (key === undefined)) return `--base-url and --key go together\n\n${USAGE}`;
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) return `--base-url is no URL: ${baseUrl}`;
  if (values['read-only'] && baseUrl === undefined)
    return `--read-only needs --base-url and --key\n\n${USAGE}`;
  const hookUrl = values['hook-url'];
  return {
    writeDocs: values['write-docs'],
    listsRules: values.rules,
    receiverPort: values['receiver-port'] === undefined ? undefined : Number(values['receiver-port']),
    receiverWaitMs: Number(values['receiver-wait']) * 1000,
    variables: {
      ...(baseUrl === undefined ? {} : { [SERVER_VARIABLES.baseUrl]: baseUrl }),
      ...(key === undefined ? {} : { [SERVER_VARIABLES.key]: key }),
      ...(values['read-only'] ? { [SERVER_VARIABLES.readOnly]: '1' } : {}),
      ...(hookUrl === undefined ? {} : { [SERVER_VARIABLES.hookUrl]: hookUrl }),
    },
  };
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        'base-url': { type: 'string' },
        key: { type: 'string' },
        'read-only': { type: 'boolean', default: false },
        'hook-url': { type: 'string' },
        'receiver-port': { type: 'string' },
        'receiver-wait': { type: 'string', default: String(RECEIVER_WAIT_SEC) },
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

async function learn(server: { baseUrl: string; key: string }, options: Options): Promise<string> {
  const learned = await findings(server);
  if (options.receiverPort !== undefined)
    learned.push(...(await deliveryFindings({ port: options.receiverPort, waitMs: options.receiverWaitMs })));
  return findingsText(learned);
}

function complain(text: string): number {
  console.error(text);
  return 1;
}
