import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { carryingMirrors } from '../config/needs.ts';
import { calendarPlace, sheetPlace } from '../domain/actual.ts';
import { blocksApproved } from '../domain/block.ts';
import { TerminalError } from '../domain/errors.ts';
import { ofKind, type SheetMirror } from '../domain/mirror.ts';
import { APPROVED_ERASURES } from '../domain/parked.ts';
import { approveParked } from '../ops/approvals.ts';
import type { SharedMemory } from '../ports/memory.ts';
import type { Clock } from '../ports/runtime.ts';
import type { KnownObjects } from '../ports/work.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface ApproveSession {
  readonly memory: SharedMemory;
  readonly known: KnownObjects;
  close(): Promise<void>;
}

/**
 * `slotbridge approve deletions`, `approve orphans`, `approve erasures`, `approve mails`, `approve blocks`: a person permits what the
 * worker has stopped as too much at once.
 */
export function addApprove(program: Command, parts: OperatorParts<ApproveSession> & { clock: Clock }): void {
  const approve = program
    .command('approve')
    .description('allow what the worker stopped because too much was affected at once');
  operatorCommand(
    approve
      .command('deletions <calendar|mirror|contacts>')
      .description(
        "allow, for one hour, the deletions in one calendar, the ticks in one mirror's tab, or the deletions of contacts missing from the list",
      ),
  ).action((what: string, options: OperatorOptions) => allow(parts, options, `approved-deletions:${what}`));
  operatorCommand(
    approve
      .command('orphans <place>')
      .description(
        'allow `audit --fix` or `apply`, for one hour, to remove what it parked in one calendar or tab',
      ),
  ).action((place: string, options: OperatorOptions) => allow(parts, options, `approved-orphans:${place}`));
  operatorCommand(
    approve
      .command('erasures')
      .description('erase the contacts that were deleted in bulk on the platform and wait now'),
  ).action((options: OperatorOptions) => allow(parts, options, APPROVED_ERASURES));
  operatorCommand(
    approve
      .command('mails')
      .description('allow, for one hour, mails to customers about changes that staff made in calendars'),
  ).action((options: OperatorOptions) => allow(parts, options, 'approved-mails'));
  operatorCommand(
    approve
      .command('blocks <entry>')
      .description('allow, for one hour, that many blocks of an entry are cancelled at once'),
  ).action((entry: string, options: OperatorOptions) => allow(parts, options, blocksApproved(entry)));
}

async function allow(
  parts: OperatorParts<ApproveSession> & { readonly clock: Clock },
  options: OperatorOptions,
  name: string,
): Promise<void> {
  await inSession(parts, options, async ({ memory, known }, config) => {
    await assertIsKnown(name, config, known);
    const untilMs = await approveParked({ memory, clock: parts.clock }, name);
    if (untilMs === undefined) {
      const text =
        'Approved what waits now, and nothing later. The worker continues automatically within five minutes.';
      say(parts.io, options, { text, json: { approved: name } });
      return;
    }
    const until = new Date(untilMs).toISOString();
    say(parts.io, options, {
      text: `Approved until ${until}. ${nextAfter(name)}`,
      json: { approved: name, until },
    });
  });
}

function nextAfter(name: string): string {
  if (name.startsWith('approved-orphans:'))
    return 'Now run the `slotbridge audit --fix` that waited again, or the `apply`.';
  if (name === 'approved-deletions:contacts' || name.startsWith(blocksApproved('')))
    return 'The worker continues automatically.';
  // The code limits the retry: letters of other causes would also act within the approved hour.
  const code = name === 'approved-mails' ? 'mail-storm' : 'mass-deletion';
  return `Now retry the dead letters: slotbridge deadletters retry --code ${code}.`;
}

async function assertIsKnown(name: string, { mirrors, blocks }: Config, known: KnownObjects): Promise<void> {
  const ofBlocks = blocksApproved('');
  const entry = name.startsWith(ofBlocks) ? name.slice(ofBlocks.length) : undefined;
  if (entry !== undefined && !blocks.some((rule) => rule.name === entry)) {
    throw new TerminalError('blocks-unknown', `blocks has no entry ${entry}`, {
      advice: 'Give the name of an entry in blocks.',
    });
  }
  const calendars = mirrors.flatMap((mirror) =>
    mirror.kind === 'calendar' ? mirror.calendars.map(({ calendarId }) => calendarId) : [],
  );
  const ticked = carryingMirrors({ mirrors }).flatMap(({ name: tab, from }) =>
    from === 'appointment' ? [tab] : [],
  );
  const calendar = /^approved-deletions:(?!contacts$)(.*)$/s.exec(name)?.[1];
  if (calendar !== undefined && ![...calendars, ...ticked].includes(calendar)) {
    throw new TerminalError('calendar-unknown', `no mirror has a calendar ${calendar}`, {
      advice: 'Give the id of a calendar of the mapping, the name of a mirror with `cancel`, or contacts.',
    });
  }
  const place = /^approved-orphans:(.*)$/s.exec(name)?.[1];
  const tabs = ofKind(mirrors, 'sheet').flatMap((mirror) => tabsOf(mirror));
  if (place === undefined || [...calendars.map(calendarPlace), ...tabs].includes(place)) return;
  if (!(await isLinkedIn(place, known))) {
    throw new TerminalError('place-unknown', `no mirror has a place ${place}`, {
      advice: 'Give it as `slotbridge audit` prints it: calendar:<id>, or spreadsheet:<id>/<tab>.',
    });
  }
}

/** A calendar that left the YAML may still contain events. */
async function isLinkedIn(place: string, known: KnownObjects): Promise<boolean> {
  let isFound = false;
  await known.each('appointment', async (claims) => {
    const links = claims.flatMap((claim) => Object.values(claim.links));
    isFound ||= links.some(({ calendars = [] }) =>
      calendars.some(({ calendarId }) => calendarPlace(calendarId) === place),
    );
  });
  return isFound;
}

function tabsOf(mirror: SheetMirror): readonly string[] {
  return [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])].map(sheetPlace);
}
