import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import {
  chooseEndpoint,
  type EndpointChoice,
  endpointsAt,
  isNothing,
  widened,
} from '../engine/endpoint-lack.ts';
import { TerminalError, WorkerError } from '../engine/errors.ts';
import type { CreateEndpoint, Registration, Roll, TestResult, WebhookEndpoint } from '../engine/platform.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import { assertStrong, type TestedDelivery } from '../engine/signing-secret.ts';
import { backoffMs } from '../engine/work.ts';
import type { Config } from '../mapping/config.ts';
import type { ApiWebhookEndpoints } from '../platform/webhook-endpoints.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { noteCommand } from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface WebhookWiring extends SecretWiring, TestWiring {
  readonly openEndpoints: (config: Config) => ApiWebhookEndpoints;
  readonly urlOf: (publicUrl: string) => string;
  /** Event types that the mirrors of this configuration need. */
  readonly eventTypes: (config: Config) => readonly string[];
  /** Projects whose events the mirrors need, according to the platform's lists. */
  readonly neededProjects: (config: Config) => Promise<readonly string[]>;
  /** Stores the request beside the secret file before sending it. Without a file, it exists as long as the command. */
  readonly beginRegistration: (
    file: string | undefined,
    endpoint: Omit<CreateEndpoint, 'idempotencyKey'>,
  ) => Registration;
  /** A registration for this address that was started and whose outcome is unknown. */
  readonly unfinishedRegistration: (file: string, url: string) => Registration | undefined;
}

/** `slotbridge webhook register`, `… status`, `… enable`, `… roll-secret`, `… test`. */
export function addWebhook(
  program: Command,
  parts: {
    readonly io: Console;
    readonly clock: Clock;
    readonly checks: LoadChecks;
    /** Loads the platform's client, when one of these commands runs. */
    readonly loadWiring: () => Promise<WebhookWiring>;
    /** Called after a test whose signature does not verify. */
    readonly onBroken: () => void;
  },
): void {
  const { io, clock, checks, loadWiring, onBroken } = parts;
  const read = (path: string) => readConfig(path, { env: io.env, checks });
  const own = async (config: Config) => findOwn(config, await loadWiring());
  const webhook = program
    .command('webhook')
    .description("manage the platform's endpoint that sends events to this worker");
  webhook
    .command('register')
    .description('create the endpoint, or subscribe an existing one to what the mirrors need')
    .option(...CONFIG_OPTION)
    .option('--secret-file <file>', 'file for the secret (default: platform.webhook.secret_file)')
    .option('--show-secret', 'print the secret instead of saving it')
    .action(async (options: RegisterOptions) => {
      const config = await readConfig(options.config, { env: io.env, checks });
      await register(config, options, { io, clock, wiring: await loadWiring() });
    });
  webhook
    .command('status')
    .description('show whether the endpoint exists, is enabled and covers all needed events')
    .option(...CONFIG_OPTION)
    .option('--json', 'print one JSON object')
    .action(async (options: { config: string; json?: boolean }) => {
      const config = await readConfig(options.config, { env: io.env, checks });
      await tellStatus(config, { io, wiring: await loadWiring(), json: options.json === true });
    });
  webhook
    .command('enable')
    .description('enable the endpoint again; the worker reads missed events from the lists')
    .option(...CONFIG_OPTION)
    .action(async (options: { config: string }) => {
      const config = await read(options.config);
      await enable(await own(config), { io, clock, open: async () => (await loadWiring()).openActs(config) });
    });
  rollSecretCommand(webhook, { io, clock, loadWiring, read, own });
  webhookTestCommand(webhook, { io, loadWiring, read, own, onBroken });
}

async function findOwn(config: Config, wiring: WebhookWiring) {
  const url = addressOf(config, wiring);
  const endpoints = wiring.openEndpoints(config);
  const own = endpointsAt(await endpoints.list(), url);
  // Choosing among several needs the platform's lists of names, which it may refuse. One needs no choice.
  const endpoint = own.length > 1 ? (await choose(own, config, wiring))?.endpoint : own[0];
  if (endpoint !== undefined) return { endpoints, endpoint };
  throw new TerminalError('endpoint-missing', "no endpoint on the platform has this worker's address", {
    advice: 'Run `slotbridge webhook register`, or correct platform.webhook.public_url.',
  });
}

async function enable(
  { endpoints, endpoint }: { readonly endpoints: ApiWebhookEndpoints; readonly endpoint: WebhookEndpoint },
  parts: ActParts,
): Promise<void> {
  const { io } = parts;
  if (endpoint.status === 'enabled') {
    io.stdout.write(`Endpoint ${endpoint.id} is already enabled.\n`);
    return;
  }
  await inActs(parts, { what: 'endpoint-enabled', about: { endpoint: endpoint.id } }, () =>
    endpoints.change(endpoint.id, { status: 'enabled' }),
  );
  const since = endpoint.disabledAt === null ? '' : ` It had been disabled since ${endpoint.disabledAt}.`;
  io.stdout.write(
    `Endpoint ${endpoint.id} is enabled.${since}\nThe platform does not resend missed events: the worker reads them from the lists automatically.\n`,
  );
}

interface RegisterOptions {
  readonly config: string;
  readonly secretFile?: string;
  readonly showSecret?: boolean;
}

async function register(
  config: Config,
  options: RegisterOptions,
  parts: { readonly io: Console; readonly clock: Clock; readonly wiring: WebhookWiring },
): Promise<void> {
  const { io, wiring } = parts;
  const acting = { ...parts, open: () => wiring.openActs(config) };
  const url = addressOf(config, wiring);
  const file = options.secretFile ?? config.platform.webhook.secretFile;
  if (file === undefined && options.showSecret !== true) {
    throw new TerminalError(
      'no-place-for-the-secret',
      'the platform shows the secret only once, and no file for it is set',
      {
        advice: 'Set platform.webhook.secret_file, give --secret-file, or --show-secret to print it.',
      },
    );
  }
  const endpoints = wiring.openEndpoints(config);
  const needed = wiring.eventTypes(config);
  const keptIn = options.showSecret === true ? undefined : file;
  const existing = await choose(endpointsAt(await endpoints.list(), url), config, wiring);
  // Read after the list: somebody may have begun meanwhile, and the same request makes the same endpoint.
  const unfinished = keptIn === undefined ? undefined : wiring.unfinishedRegistration(keptIn, url);
  if (existing !== undefined && unfinished === undefined)
    return subscribeToLack(existing, { ...acting, endpoints });
  if (keptIn !== undefined) wiring.assertSecretFileIsWritable(keptIn);
  const begin = (projectIds?: readonly string[]) => {
    const endpoint = { url, description: 'slotbridge', enabledEvents: needed };
    return wiring.beginRegistration(
      keptIn,
      projectIds === undefined ? endpoint : { ...endpoint, projectIds },
    );
  };
  const registration = unfinished ?? begin();
  const { made, end } = await inActs(acting, { what: 'endpoint-made', about: { url } }, () =>
    makeEndpoint(registration, {
      endpoints,
      beginFor: begin,
      neededProjects: () => wiring.neededProjects(config),
    }),
  );
  // Store the secret before printing anything: a secret that was only printed is lost with the terminal.
  if (keptIn !== undefined) {
    try {
      wiring.keepSecret(keptIn, made.secret);
      end();
    } catch (error) {
      io.stdout.write(`The file could not be written. Secret (shown only now): ${made.secret}\n`);
      throw error;
    }
  }
  io.stdout.write(`Endpoint ${made.id} sends ${made.enabledEvents.length} event types to ${url}.\n`);
  if (made.projectIds !== null)
    io.stdout.write(
      `It covers ${counted(made.projectIds.length, 'project')}: the key may not subscribe to all projects of the company.\n`,
    );
  if (keptIn === undefined) io.stdout.write(`Secret (shown only now): ${made.secret}\n`);
  else io.stdout.write(`Its secret is saved in ${keptIn}.\n`);
  assertStrong(config.platform.webhook.signature, made.secret, GIVEN);
}

type Made = WebhookEndpoint & { readonly secret: string };

/**
 * Subscribes for all projects of the company. The platform refuses that if the key does not cover all of them. Then this subscribes only
 * for the projects that the mapping needs (platform API, POST /v1/webhook_endpoints).
 */
async function makeEndpoint(
  registration: Registration,
  parts: {
    readonly endpoints: ApiWebhookEndpoints;
    readonly beginFor: (projectIds: readonly string[]) => Registration;
    readonly neededProjects: () => Promise<readonly string[]>;
  },
): Promise<{ readonly made: Made; readonly end: () => void }> {
  const { request } = registration;
  try {
    return {
      made: await sendWithRetries(() => parts.endpoints.create(request)),
      end: () => registration.end(),
    };
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    // A refusal is final: nothing was created, and the next try may ask for something else.
    registration.end();
    if (error.code !== 'forbidden' || request.projectIds !== undefined) throw error;
    const projects = await parts.neededProjects();
    if (projects.length > 0) return makeEndpoint(parts.beginFor(projects), parts);
    throw new TerminalError(error.code, error.message, {
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
      advice: `${error.advice} If it covers only some projects, name them in where.project of every mirror.`,
    });
  }
}

async function subscribeToLack(
  { endpoint, lack }: EndpointChoice<WebhookEndpoint>,
  parts: ActParts & { readonly endpoints: ApiWebhookEndpoints },
): Promise<void> {
  const { endpoints, io } = parts;
  const { id } = endpoint;
  const change = (to: Parameters<ApiWebhookEndpoints['change']>[1]) =>
    inActs(parts, { what: 'endpoint-changed', about: { endpoint: id } }, () => endpoints.change(id, to));
  const { enabledEvents, projectIds } = widened(endpoint, lack);
  if (isNothing(lack)) io.stdout.write(`Endpoint ${id} already exists and covers all needed events.\n`);
  if (enabledEvents !== undefined) {
    await change({ enabledEvents });
    io.stdout.write(`Endpoint ${id} is now subscribed to ${enabledEvents.length} event types.\n`);
  }
  if (projectIds !== undefined) {
    await change({ projectIds });
    io.stdout.write(`Endpoint ${id} now sends the events of ${projectIds.length} projects.\n`);
  }
  io.stdout.write(
    'Its secret was shown when it was created. If it is lost, run: slotbridge webhook roll-secret\n',
  );
}

async function tellStatus(
  config: Config,
  parts: { readonly io: Console; readonly wiring: WebhookWiring; readonly json: boolean },
): Promise<void> {
  const { io, wiring } = parts;
  const url = addressOf(config, wiring);
  const own = endpointsAt(await wiring.openEndpoints(config).list(), url);
  const { endpoint, lack } = (await choose(own, config, wiring)) ?? {};
  const types = endpoint?.enabledEvents ?? [];
  const lacking = [
    ...(lack?.types ?? wiring.eventTypes(config)),
    ...(lack?.projects ?? []).map((id) => `project ${id}`),
  ];
  if (parts.json) {
    io.stdout.write(`${JSON.stringify({ url, endpoint: endpoint ?? null, lacking })}\n`);
    return;
  }
  if (endpoint === undefined) {
    io.stdout.write(`No endpoint sends to ${url}. Run: slotbridge webhook register\n`);
    return;
  }
  io.stdout.write(`Endpoint ${endpoint.id} sends to ${url}.\n  status     ${endpoint.status}`);
  io.stdout.write(
    endpoint.disabledReason === null ? '\n' : ` (${endpoint.disabledReason}, since ${endpoint.disabledAt})\n`,
  );
  io.stdout.write(`  events     ${types.includes('*') ? 'all' : types.join(', ')}\n`);
  if (lacking.length > 0)
    io.stdout.write(`  lacking    ${lacking.join(', ')}. Run: slotbridge webhook register\n`);
  if (endpoint.status !== 'enabled')
    io.stdout.write('The platform sends nothing to it. Run: slotbridge webhook enable\n');
}

function addressOf(config: Config, wiring: WebhookWiring): string {
  const publicUrl = config.platform.webhook.publicUrl;
  if (publicUrl !== undefined) return wiring.urlOf(publicUrl);
  throw new TerminalError('no-public-url', 'platform.webhook.public_url is not set', {
    advice:
      'Set it to the address at which the platform reaches this worker, for example https://bridge.example.com.',
  });
}

async function choose(
  own: readonly WebhookEndpoint[],
  config: Config,
  wiring: WebhookWiring,
): Promise<EndpointChoice<WebhookEndpoint> | undefined> {
  const isForSome = own.some(({ projectIds }) => projectIds !== null);
  const projects = isForSome ? await wiring.neededProjects(config) : [];
  return chooseEndpoint(own, { types: wiring.eventTypes(config), projects });
}

interface SecretWiring {
  readonly assertSecretFileIsWritable: (file: string) => void;
  readonly keepSecret: (file: string, secret: string) => void;
  readonly beginRoll: (
    file: string,
    about: { readonly endpointId: string; readonly overlapHours: 1 | 24 },
  ) => Roll;
  /** Undefined where nothing was ever stored, as before the first start. */
  readonly openActs: (config: Config) => Promise<OpenActs | undefined>;
}

interface OpenActs {
  readonly acts: ActLog;
  close(): Promise<void>;
}

interface ActParts {
  readonly io: Console;
  readonly clock: Clock;
  readonly open: () => Promise<OpenActs | undefined>;
}

interface RollOptions {
  readonly config: string;
  readonly secretFile?: string;
  readonly overlap: string;
}

/**
 * What messages call a secret with which the worker cannot verify. The command stores the secret before it complains, because the platform
 * shows it only once.
 */
const GIVEN = 'the secret that the platform gave';

/** `slotbridge webhook roll-secret`: gets another secret. At no time are there deliveries that cannot be verified. */
function rollSecretCommand(
  webhook: Command,
  parts: {
    readonly io: Console;
    readonly clock: Clock;
    readonly loadWiring: () => Promise<SecretWiring>;
    readonly read: (path: string) => Promise<Config>;
    readonly own: (config: Config) => Promise<{ endpoints: ApiWebhookEndpoints; endpoint: WebhookEndpoint }>;
  },
): void {
  webhook
    .command('roll-secret')
    .description('make the platform sign with a new secret; the old one also signs for a while')
    .option(...CONFIG_OPTION)
    .option('--secret-file <file>', 'file for the secret (default: platform.webhook.secret_file)')
    .option('--overlap <hours>', 'how long the old secret keeps signing: 24 or 1', '24')
    .action(async (options: RollOptions) => {
      const config = await parts.read(options.config);
      const file = options.secretFile ?? config.platform.webhook.secretFile;
      if (file === undefined) throw noPlace();
      const overlapHours = readOverlap(options.overlap);
      const { endpoints, endpoint } = await parts.own(config);
      const wiring = await parts.loadWiring();
      wiring.assertSecretFileIsWritable(file);
      const roll = wiring.beginRoll(file, { endpointId: endpoint.id, overlapHours });
      const about = { what: 'secret-rolled', about: { endpoint: endpoint.id } };
      const secret = await inActs({ ...parts, open: () => wiring.openActs(config) }, about, async () => {
        const rolled = await sendWithRetries(() => endpoints.rollSecret(endpoint.id, roll));
        // Store the secret before printing anything. The worker reads the file at its next delivery; until then the old secret verifies.
        wiring.keepSecret(file, rolled.secret);
        roll.end();
        return rolled.secret;
      });
      const told = roll.isResumed ? ' This finished the roll that was begun earlier.' : '';
      parts.io.stdout.write(
        `The new secret of endpoint ${endpoint.id} is saved in ${file}.${told}\nThe old one keeps signing for ${roll.overlapHours} h. After that, remove it from the file and the YAML.\n`,
      );
      assertStrong(config.platform.webhook.signature, secret, GIVEN);
    });
}

/** Notes it in the audit log. The endpoint is cared for also while Redis is away: then a warning says so. */
async function inActs<Result>(
  parts: ActParts,
  about: { readonly what: string; readonly about: Readonly<Record<string, string>> },
  run: () => Promise<Result>,
): Promise<Result> {
  const warn = (error: unknown): undefined => {
    if (!(error instanceof WorkerError)) throw error;
    parts.io.stderr.write(`warning: not in the audit log: ${error.message} (${error.code})\n`);
    return undefined;
  };
  const session = await parts.open().catch(warn);
  try {
    const act = session && (await noteCommand(parts, session.acts, { ...about, chosen: 1 }).catch(warn));
    const result = await run();
    if (act !== undefined) await session?.acts.note({ ...act, done: 1 }).catch(warn);
    return result;
  } finally {
    await session?.close();
  }
}

function readOverlap(written: string): 1 | 24 {
  if (written === '24') return 24;
  if (written === '1') return 1;
  throw new UsageError('overlap-unknown', 'the platform lets an old secret sign for 1 or 24 hours', {
    advice:
      'Give --overlap 24 or --overlap 1. Without overlap, deliveries would be refused until the worker has the new secret.',
  });
}

function noPlace(): TerminalError {
  return new TerminalError(
    'no-place-for-the-secret',
    'the platform shows the secret only once, and no file for it is set',
    { advice: 'Set platform.webhook.secret_file, or give --secret-file.' },
  );
}

interface TestWiring {
  /** How the running worker judged the last test delivery; undefined when none has arrived. */
  readonly lastTest: (config: Config) => Promise<TestedDelivery | undefined>;
}

interface TestOptions {
  readonly config: string;
  readonly type?: string;
  readonly json?: boolean;
}

/** `slotbridge webhook test`: the platform sends a test event to the running worker, which says which scheme verifies it. */
function webhookTestCommand(
  webhook: Command,
  parts: {
    readonly io: Console;
    readonly loadWiring: () => Promise<
      TestWiring & { readonly eventTypes: (config: Config) => readonly string[] }
    >;
    readonly read: (path: string) => Promise<Config>;
    readonly own: (config: Config) => Promise<{ endpoints: ApiWebhookEndpoints; endpoint: WebhookEndpoint }>;
    readonly onBroken: () => void;
  },
): void {
  const { io } = parts;
  webhook
    .command('test')
    .description(
      'make the platform send a test event to the running worker, and show which scheme verifies its signature',
    )
    .option(...CONFIG_OPTION)
    .option('--type <type>', 'event type (default: one that the mirrors need)')
    .option('--json', 'print one JSON object')
    .action(async (options: TestOptions) => {
      const config = await parts.read(options.config);
      const wiring = await parts.loadWiring();
      const { endpoints, endpoint } = await parts.own(config);
      const type = options.type ?? wiring.eventTypes(config)[0] ?? 'appointment.created';
      const sent = await endpoints.test(endpoint.id, type);
      const last = await wiring.lastTest(config);
      const met = last?.eventId === sent.eventId ? last : undefined;
      if (options.json === true)
        io.stdout.write(`${JSON.stringify({ endpoint: endpoint.id, type, sent, met: met ?? null })}\n`);
      else io.stdout.write(`${describe(type, sent, met)}\n${endpoint.status === 'enabled' ? '' : DISABLED}`);
      if (met === undefined || met.verdicts[met.configured] !== 'valid') parts.onBroken();
    });
}

function describe(type: string, sent: TestResult, met: TestedDelivery | undefined): string {
  const answer =
    sent.statusCode === null
      ? `no answer (${sent.error ?? 'no reason given'})`
      : `answered ${sent.statusCode}`;
  const took = sent.durationMs === null ? '' : ` in ${sent.durationMs} ms`;
  const head = `Test event ${type}: ${answer}${took}.`;
  if (met === undefined) return `${head}\n${UNMET[sent.statusCode ?? 0] ?? NOT_MET}`;
  const lines = Object.entries(met.verdicts).map(
    ([scheme, verdict]) =>
      `  ${scheme.padEnd(12)}${WORDS[verdict] ?? verdict}${scheme === met.configured ? ', as platform.webhook.signature says' : ''}`,
  );
  return [head, ...lines, adviceFor(met)].join('\n');
}

const NOT_MET =
  "The worker did not receive it. Check that it runs, and that the endpoint's address leads to it.";

/** Answers for which the worker stores no verdict, because it cannot know the sender. The status code says why. */
const UNMET: Readonly<Record<number, string>> = {
  202: 'The worker has no secret, or platform.webhook.signature is doorbell: a delivery only starts a feed walk. Run `slotbridge webhook register` or `slotbridge webhook roll-secret`.',
  401: 'No scheme verifies it. Either the secret differs (run `slotbridge webhook roll-secret`), or the header has another name (platform.webhook.header).',
  413: 'It is larger than platform.webhook.max_body, or than a proxy in front of the worker allows.',
  415: 'A proxy in front of the worker compresses requests or refuses them for their content type. The worker takes every content type.',
};

const DISABLED = 'The endpoint is disabled: it receives only tests. Run: slotbridge webhook enable\n';

const WORDS: Readonly<Record<string, string>> = {
  valid: 'verifies',
  wrong: 'does not verify',
  missing: 'its headers are missing',
  malformed: 'its header has another format',
  'too-old': "verifies, but its time differs too much from the worker's clock",
};

function adviceFor({ configured, verdicts }: TestedDelivery): string {
  if (verdicts[configured] === 'valid') return 'Deliveries are verified.';
  const valid = Object.keys(verdicts).find((scheme) => verdicts[scheme] === 'valid');
  if (valid !== undefined) return `Set platform.webhook.signature: ${valid}, and restart the worker.`;
  return 'Check the clocks, or raise platform.webhook.tolerance.';
}

const TRIES = 3;

/**
 * Sends a request up to three times, with a growing pause, while its failure is retryable. Only for a request that repeats its idempotency
 * key: after a lost answer, the platform returns the first result.
 */
async function sendWithRetries<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === TRIES || !(error instanceof WorkerError) || error.family !== 'retryable') throw error;
      await sleep(backoffMs(attempt));
    }
  }
}
