// `npm run conformance`: the platform's document as tests, against sandboxes of its own or, with --base-url and --key,
// against any server. Prints a table by section; exit code 0 only when all that ran has passed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { deliveryFindings } from '../conformance/findings/receiver.ts';
import { findings, findingsText } from '../conformance/findings/report.ts';
import { type Coverage, coverage } from '../conformance/report/coverage.ts';
import { coveragePage, PAGE } from '../conformance/report/page.ts';
import { type Tally, tally, tallyTable } from '../conformance/report/tally.ts';
import { foreignServer, SERVER_VARIABLES } from '../conformance/stage/server.ts';

const house = fileURLToPath(new URL('..', import.meta.url));
const page = join(house, PAGE);
const RECEIVER_WAIT_SEC = 60;

const USAGE = `npm run conformance -- [options]
  --base-url URL         ask this server (with its version segment) and not a sandbox
  --key KEY              its API key; CONFORMANCE_KEY does the same
  --read-only            send GETs only, and report what was learned about what the document does not show
  --hook-url URL         where webhook endpoints that the tests create point to; the default never resolves
  --receiver-port PORT   with --read-only: listen there for one delivery of an endpoint that leads here
  --receiver-wait SEC    for how long (${RECEIVER_WAIT_SEC})
  --write-docs           write ${PAGE} and end`;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'string') return complain(options);
  const covered = coverage();
  if (covered.problems.length > 0) return complain(covered.problems.join('\n'));
  if (options.writeDocs) {
    writeFileSync(page, coveragePage(covered));
    console.log(`${PAGE} is written`);
    return 0;
  }
  const variables = { ...process.env, ...options.variables };
  const { code, result } = await run(covered, variables);
  if (!result) return complain('vitest has left no result; what it said stands above');
  console.log(`\n${tallyTable(result)}`);
  for (const [because, count] of result.skips) console.log(`  ${count} skipped: ${because}`);
  const server = foreignServer(variables);
  if (server?.isReadOnly)
    console.log(`\nwhat the document does not show, as it was found here:\n${await learn(server, options)}`);
  const isStale = isPageStale(covered);
  if (isStale) console.error(`\n${PAGE} is not what the tests say: npm run conformance -- --write-docs`);
  return code === 0 && result.total.failed === 0 && result.total.passed > 0 && !isStale ? 0 : 1;
}

type Options = Exclude<ReturnType<typeof readOptions>, string>;

/** The options, or what is wrong with them. */
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
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function run(
  covered: Coverage,
  variables: NodeJS.ProcessEnv,
): Promise<{ code: number; result: Tally | undefined }> {
  const scratch = mkdtempSync(join(tmpdir(), 'sb-conformance-'));
  const file = join(scratch, 'vitest.json');
  const vitest = join(house, 'node_modules/vitest/vitest.mjs');
  const config = ['--config', 'conformance/vitest.config.ts'];
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const child = spawn(process.execPath, [vitest, 'run', ...config, ...reporters], {
      cwd: house,
      env: variables,
      stdio: 'inherit',
    });
    const code = await new Promise<number>((resolve) => child.on('close', (exit) => resolve(exit ?? 1)));
    return { code, result: read(file, covered) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function read(file: string, covered: Coverage): Tally | undefined {
  try {
    return tally(file, covered);
  } catch {
    return undefined;
  }
}

async function learn(server: { baseUrl: string; key: string }, options: Options): Promise<string> {
  const learned = await findings(server);
  if (options.receiverPort !== undefined)
    learned.push(...(await deliveryFindings({ port: options.receiverPort, waitMs: options.receiverWaitMs })));
  return findingsText(learned);
}

function isPageStale(covered: Coverage): boolean {
  try {
    return readFileSync(page, 'utf8') !== coveragePage(covered);
  } catch {
    return true;
  }
}

function complain(text: string): number {
  console.error(text);
  return 1;
}
