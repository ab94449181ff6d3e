// Takes argv, runs one command, returns its exit code.
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addApprove } from './cli/approve.ts';
import { addAudit } from './cli/audit.ts';
import { addBlocks } from './cli/blocks.ts';
import { addCheck } from './cli/check.ts';
import { addCompletion } from './cli/completion.ts';
import { type Console, safeConsole } from './cli/console.ts';
import { addActs, addConsole } from './cli/console-command.ts';
import { addCursor } from './cli/cursor.ts';
import { addDeadLetters } from './cli/deadletters.ts';
import { addDemo } from './cli/demo.ts';
import { EXIT, printFailure } from './cli/exit.ts';
import { addExplain } from './cli/explain.ts';
import { addFeeds } from './cli/feeds.ts';
import { addForget } from './cli/forget.ts';
import { addGoogle, type GoogleWiring } from './cli/google.ts';
import { addInit } from './cli/init.ts';
import { tellNextStep } from './cli/next-step.ts';
import { addApply, addPlan } from './cli/plan.ts';
import { addReload } from './cli/reload.ts';
import { addRender, type RenderParts } from './cli/render.ts';
import { addReplay } from './cli/replay.ts';
import { addResync } from './cli/resync.ts';
import { addSandbox } from './cli/sandbox.ts';
import { addStart } from './cli/start.ts';
import { addStatus } from './cli/status.ts';
import { addTest } from './cli/test.ts';
import { addWebhook } from './cli/webhook.ts';
import { addWhereIs } from './cli/whereis.ts';
import { type Clock, SharedClock, SILENT } from './engine/runtime.ts';
import { ZONES_VERSION } from './engine/zone-rules.ts';
import type { Config } from './mapping/config.ts';
import type { Waiting } from './operate/waiting.ts';

const checks = async () => {
  const [{ checkTemplate }, { compileCondition }] = await Promise.all([
    import('./mapping/render-check.ts'),
    import('./mapping/filter-condition.ts'),
  ]);
  return { checkTemplate, compileCondition };
};
/**
 * For commands that render nothing. The template engine loads slower than these commands may run, and a template mistake must not hide the
 * status.
 */
const noTemplates = async () => {
  const { deferCondition } = await import('./mapping/filter-deferred.ts');
  return { checkTemplate: () => undefined, compileCondition: deferCondition };
};

/** Runs one command and returns its exit code. It prints only through `console`; `start` also writes its log. */
export async function runProgram(
  argv: readonly string[],
  console: Console,
  clock: Clock = new SharedClock({ now: () => Date.now() }),
): Promise<number> {
  const io = safeConsole(console);
  let exitCode: number = EXIT.ok;
  const program = new Command('slotbridge')
    .description(
      "keeps a company's bookings, its staff's Google Calendars and its office's Google Sheets the same",
    )
    .version(`${readVersion()}\ntime zones ${ZONES_VERSION}`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  const onBroken = () => {
    exitCode = EXIT.failed;
  };
  let processStartedAtMs: number | undefined;
  addStart(program, {
    io,
    checks,
    startWorker: async (config, log, signal) => {
      const { startWorker } = await import('./worker/worker.ts');
      const about = {
        version: readVersion(),
        // The same for each worker that a reload starts: two readings of both clocks differ by a millisecond.
        processStartedAtMs: () => {
          processStartedAtMs ??= Math.round(clock.now() - performance.now());
          return processStartedAtMs;
        },
        takesReload: true,
      };
      return startWorker({ config, clock, log, signal, ...about });
    },
  });
  addCheck(program, {
    io,
    checks,
    checkSecrets: async ({ platform }) => {
      const { assertSecretsAreStrong } = await import('./platform/secret-file.ts');
      assertSecretsAreStrong(platform.webhook);
    },
    checkLive: async (config) =>
      (await import('./operate/live-check/live-check.ts')).checkLive(config, {
        clock,
        openConsents: async () =>
          (await import('./worker/google-consent.ts')).openStoredConsents(config, clock),
        openState: async () => (await import('./worker/commands.ts')).openLiveState(config, clock),
      }),
    onBroken,
  });
  addStatus(program, {
    io,
    checks: noTemplates,
    onBroken,
    readStatusFromStore: async (config, worker) => {
      const { readStatusFromStore } = await import('./worker/stored-status.ts');
      return readStatusFromStore(config, { version: readVersion(), clock, worker });
    },
  });
  const operator = {
    ...{ io, checks, clock },
    open: async (config: Config, waiting: Waiting) => openSession(config, clock, waiting),
  };
  const stateOnly = { ...operator, needsOnlyState: true };
  const leaving = { ...operator, leavesWork: true };
  addDeadLetters(program, stateOnly);
  addExplain(program, {
    ...{ io, clock, checks: noTemplates, needsOnlyState: true },
    open: async (config: Config) => {
      const { openExplainSession } = await import('./worker/explain-session.ts');
      return openExplainSession(config, clock);
    },
  });
  addReload(program, {
    ...{ io, clock, checks: noTemplates, needsOnlyState: true },
    open: async (config: Config) =>
      (await import('./worker/reload-session.ts')).openReloadSession(config, clock),
    onEnd: (code) => {
      exitCode = code;
    },
  });
  addReplay(program, leaving);
  addPlan(program, operator);
  addApply(program, { ...operator, onBroken });
  addRender(program, { io, checks, wiring: renderWiring(clock) });
  addCursor(program, operator);
  addAudit(program, { ...operator, onBroken });
  addResync(program, leaving);
  addApprove(program, leaving);
  addBlocks(program, { ...operator, onBroken });
  addWhereIs(program, { ...operator, onBroken });
  addConsole(program, stateOnly);
  addActs(program, stateOnly);
  addForget(program, { ...operator, onBroken });
  addWebhook(program, { io, clock, checks, loadWiring: () => webhookWiring(clock), onBroken });
  addGoogle(program, {
    ...{ io, wiring: googleWiring() },
    invite: {
      ...{ clock, checks },
      openAccess: async (config, about) =>
        (await import('./operate/live-check/live-check.ts')).openCalendarAccess(config, about, clock),
      openConsents: async (config) =>
        (await import('./worker/google-consent.ts')).openConsentSession(config, clock),
      openRemoval: async (config) =>
        (await import('./worker/google-consent.ts')).openConsentRemoval(config, clock),
    },
  });
  addInit(program, {
    ...{ io, checks, onBroken },
    wiring: {
      readDirectory: async (platform) => (await initParts(clock)).readDirectory(platform),
      openGoogle: async (google) => (await initParts(clock)).openGoogle(google),
      calendarsOf: async (login) => (await initParts(clock)).calendarsOf(login),
      sandbox: async () => (await initParts(clock)).sandbox(),
      run: (args, env) =>
        runProgram([...argv.slice(0, 2), ...args], { stdout: io.stdout, stderr: io.stderr, env }, clock),
    },
  });
  addFeeds(program, operator);
  addCompletion(program, { io });
  addSandbox(program, {
    io,
    wiring: {
      startSandbox: async ({ like, ...options }) => {
        const { startSandbox } = await import('./worker/commands.ts');
        if (like === undefined) return startSandbox(options);
        const { readLike, writeLike } = await import('@slotbridge/rehearsal/scenarios/named-company');
        const { config, text, company } = readLike(like.file, { env: io.env, checks: await checks() });
        const { running, close } = await startSandbox({ ...options, company });
        const copy = await writeLike({ ...like, text, config, running, dataDir: options.dataDir });
        return { running: { ...running, ...copy }, close };
      },
      book: async (dataDir) => (await import('./worker/commands.ts')).bookInSandbox(dataDir),
      show: async (dataDir) => (await import('./worker/commands.ts')).showSandbox(dataDir),
    },
  });
  addTest(program, {
    io,
    runTest: async (wishes) => {
      const { runTest } = await import('@slotbridge/rehearsal/scenarios/test-command');
      const { startWorker } = await import('./worker/worker.ts');
      return runTest({
        ...wishes,
        ...{ env: io.env, checks: await checks(), stdout: io.stdout },
        startWorker: (config, formationMs) =>
          startWorker({ config, version: readVersion(), clock, log: SILENT, formationMs }),
      });
    },
    onEnd: (code) => {
      exitCode = code;
    },
  });
  addDemo(program, {
    io,
    runDemo: async (options) => {
      const { runDemo } = await import('@slotbridge/rehearsal/demo/demo');
      exitCode = await runDemo(options);
    },
  });
  try {
    if (argv.length <= 2) await tellNextStep({ io, checks, hasSecret });
    else await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return printFailure(error, io.stderr);
  }
}

async function initParts(clock: Clock) {
  const { initWiring } = await import('./worker/commands.ts');
  return initWiring(clock);
}

async function hasSecret({ platform }: Config): Promise<boolean> {
  const { webhookSecrets } = await import('./platform/secret-file.ts');
  return webhookSecrets(platform.webhook)().length > 0;
}

async function openSession(config: Config, clock: Clock, waiting: Waiting) {
  const { openSession: open } = await import('./worker/operator-session.ts');
  return open(config, clock, waiting);
}

/** Loads the Google API library only when a command uses it. */
function googleWiring(): GoogleWiring {
  const load = async () => (await import('./worker/google-consent.ts')).googleCommandWiring();
  return {
    beginLogin: async (file) => (await load()).beginLogin(file),
    assertCredentialFileIsFree: async (file) => (await load()).assertCredentialFileIsFree(file),
  };
}

function renderWiring(clock: Clock): RenderParts['wiring'] {
  const load = async () => (await import('./worker/commands.ts')).renderCommandWiring(clock);
  return {
    renderSample: async (mirror) => (await load()).renderSample(mirror),
    renderObject: async (config, about) => (await load()).renderObject(config, about),
  };
}

async function webhookWiring(clock: Clock) {
  const { webhookCommandWiring } = await import('./worker/commands.ts');
  return webhookCommandWiring({ clock });
}

/** The version in package.json, which is one folder above both `src/` and `dist/`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
