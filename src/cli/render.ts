import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Mirror } from '../engine/mirror.ts';
import { type EntityKey, parseKey } from '../engine/object.ts';
import type { Config } from '../mapping/config.ts';
import { suggest } from '../mapping/problem.ts';
import { formatRendering, type Rendering } from '../operate/render-text.ts';
import { CONFIG_OPTION, type LoadChecks, readConfig } from './config-file.ts';
import type { Console } from './console.ts';
import { printFailure } from './exit.ts';
import { say } from './operator-command.ts';
import { UsageError } from './usage-error.ts';
import { untilInterrupted } from './watch.ts';

type Rendered =
  | Rendering
  | {
      readonly failed: readonly {
        readonly path: readonly string[];
        readonly message: string;
        readonly line?: number;
        readonly column?: number;
      }[];
    };

export interface RenderParts {
  readonly io: Console;
  readonly checks: LoadChecks;
  readonly wiring: {
    /** Renders the object as the platform has it now. Rejects with `object-unknown` when the platform does not show it. */
    renderObject(
      config: Config,
      about: { readonly mirror: Mirror; readonly key: EntityKey; readonly showPeople: boolean },
    ): Promise<Rendered>;
    /** Renders an invented object, without any request. */
    renderSample(mirror: Mirror): Promise<Rendered>;
  };
}

interface RenderOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly sample?: boolean;
  readonly showPeople?: boolean;
  readonly watch?: boolean;
}

const LOOK_EVERY_MS = 200;

/** `slotbridge render`: one object as a mirror would show it, and every field that its templates can use. */
export function addRender(program: Command, { io, checks, wiring }: RenderParts): void {
  program
    .command('render <mirror> [object]')
    .description(
      'show the event or row that a mirror makes of one object, and every field available to templates; writes nothing',
    )
    .option(...CONFIG_OPTION)
    .option('--json', 'print JSON')
    .option('--sample', 'use an invented object; needs neither the platform nor Redis')
    .option('--show-people', 'show names, phones, addresses and what people typed')
    .option('--watch', 'render again on every save of the YAML, until Ctrl-C')
    .action(async (mirror: string, object: string | undefined, options: RenderOptions) => {
      assertOne(object, options);
      const once = () => render({ mirror, object, options }, { io, checks, wiring });
      if (options.watch !== true) return once();
      await watch(options.config, io, once);
    });
}

function assertOne(object: string | undefined, { sample }: RenderOptions): void {
  if ((object === undefined) === (sample === true)) return;
  throw new UsageError('nothing-chosen', 'the id of an object, or --sample, is missing', {
    advice:
      'slotbridge render <mirror> <id> reads the object from the platform; --sample uses an invented one.',
  });
}

async function render(
  asked: {
    readonly mirror: string;
    readonly object: string | undefined;
    readonly options: RenderOptions;
  },
  { io, checks, wiring }: RenderParts,
): Promise<void> {
  const { options } = asked;
  const config = await readConfig(options.config, { env: io.env, checks });
  const mirror = mirrorNamed(asked.mirror, config);
  const told =
    asked.object === undefined
      ? await wiring.renderSample(mirror)
      : await wiring.renderObject(config, {
          mirror,
          key: keyFor(asked.object, mirror),
          showPeople: options.showPeople === true,
        });
  if ('failed' in told) {
    const source = { text: readFileSync(options.config, 'utf8'), path: options.config };
    const { failedTemplates } = await import('../mapping/template-names.ts');
    throw failedTemplates(source, io.env, told.failed);
  }
  say(io, options, { text: formatRendering(told), json: told });
}

function mirrorNamed(name: string, { mirrors }: Config): Mirror {
  const found = mirrors.find((mirror) => mirror.name === name);
  if (found !== undefined) return found;
  const names = mirrors.map((mirror) => mirror.name);
  const near = suggest(name, names);
  throw new UsageError('mirror-unknown', `the YAML has no mirror ${name}`, {
    advice: `${near === undefined ? '' : `Did you mean ${near}? `}It has: ${names.join(', ')}.`,
  });
}

/** An id, or `<kind>/<id>` as other commands print it. */
function keyFor(written: string, { name, from }: Mirror): EntityKey {
  const key = parseKey(written) ?? { kind: from, id: written };
  if (key.kind === from) return key;
  throw new UsageError('object-of-another-kind', `mirror ${name} takes ${from}s, not ${key.kind}s`, {
    advice: `Give the id of a ${from}, or name a mirror of ${key.kind}s.`,
  });
}

/** Reports errors and continues: the next save renders again. */
async function watch(path: string, io: Console, once: () => Promise<void>): Promise<void> {
  let seen: string | undefined;
  await untilInterrupted(async () => {
    const now = stateOf(path);
    if (now === seen) return;
    seen = now;
    // An editor may empty the file before it fills it, or replace it by another one.
    await once().catch((error: unknown) => printFailure(error, io.stderr));
  }, LOOK_EVERY_MS);
}

function stateOf(path: string): string {
  const { mtimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${mtimeMs} ${size} ${ino}`;
}
