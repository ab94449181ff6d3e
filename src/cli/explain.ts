import type { Command } from 'commander';
import type { EntityKey } from '../engine/domain/object.ts';
import { formatKey, isEntityKind, isShortId } from '../engine/domain/object.ts';
import type { RowAsked } from '../engine/ports/console.ts';
import { type ExplainParts, explain } from '../operate/explain.ts';
import { formatEntry, formatExplanation } from '../operate/explain-text.ts';
import { painter } from '../operate/paint.ts';
import { readRowAddress } from '../operate/row-address.ts';
import type { Console } from './console.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  onlyOne,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface ExplainSession extends ExplainParts {
  /** The objects that an id may mean: an object's own id, an event's of the platform, a calendar event's, or a row's key. */
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  /** The objects in a row as the tab stands now. */
  readonly rowAt: (asked: RowAsked) => Promise<readonly EntityKey[]>;
  close(): Promise<void>;
}

const FOLLOW_EVERY_MS = 500;

/** `slotbridge explain <what> <id>`: everything known about one object. */
export function addExplain(program: Command, parts: OperatorParts<ExplainSession>): void {
  operatorCommand(
    program
      .command('explain <what> [id]')
      .description(
        'show the story of one object: what arrived, what was decided and why, what was written, what is pending. <what> is appointment, contact, lead, conversation, message, event (of a calendar or the platform) or row; an id alone is often enough',
      ),
  )
    .option('--follow', 'keep printing what happens to the object, until Ctrl-C')
    .action((what: string, id: string | undefined, options: OperatorOptions & { follow?: boolean }) =>
      inSession(parts, options, async (session) => {
        const key = await resolveObject(session, what, id);
        const told = await explain(session, key);
        say(parts.io, options, {
          text: formatExplanation(told, { color: parts.io.stdout.isTTY === true }),
          json: told,
        });
        if (options.follow === true)
          await follow(session, key, { io: parts.io, json: options.json === true });
      }),
    );
}

async function resolveObject(
  session: ExplainSession,
  what: string,
  id: string | undefined,
): Promise<EntityKey> {
  const [kind, rest] = id === undefined && what.includes('/') ? what.split('/', 2) : [what, id];
  const asked = rest ?? what;
  const row = rest === undefined || kind === 'row' ? readRowAddress(asked) : undefined;
  if (row !== undefined) return onlyOne(await session.rowAt(row), `row ${asked}`);
  if (rest !== undefined && kind !== undefined && isEntityKind(kind)) {
    const ofKind = isShortId(rest)
      ? (await session.find('any', rest)).filter((key) => key.kind === kind)
      : [];
    return ofKind.length === 0 ? { kind, id: rest } : onlyOne(ofKind, `the id ${rest}`);
  }
  return onlyOne(await session.find(rest === undefined ? 'any' : (kind ?? 'any'), asked), `the id ${asked}`);
}

/** Prints new entries of the history until SIGINT or SIGTERM. */
async function follow(
  session: ExplainSession,
  key: EntityKey,
  { io, json }: { io: Console; json: boolean },
): Promise<void> {
  const paint = painter(io.stdout.isTTY === true);
  let told = new Set((await session.history.of(formatKey(key))).map((entry) => JSON.stringify(entry)));
  let goesOn = true;
  const end = () => {
    goesOn = false;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  while (goesOn) {
    await new Promise((done) => setTimeout(done, FOLLOW_EVERY_MS));
    const entries = await session.history.of(formatKey(key));
    const texts = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
    for (const [text, entry] of texts) {
      if (told.has(text)) continue;
      io.stdout.write(
        `${json ? text : formatEntry(entry, new Date(session.clock.now()).toISOString(), paint)}\n`,
      );
    }
    told = new Set(texts.keys());
  }
}
