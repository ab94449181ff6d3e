import type { Command } from 'commander';
import { blocksApproved } from '../engine/block.ts';
import { counted } from '../engine/counts.ts';
import type { DeadLetters } from '../engine/dead-letters.ts';
import { APPROVED_ERASURES, type HeldKind } from '../engine/edit-guard.ts';
import { TerminalError } from '../engine/errors.ts';
import { calendarPlace, sheetPlace } from '../engine/ids.ts';
import type { KnownObjects } from '../engine/ledger.ts';
import type { SharedMemory } from '../engine/memory.ts';
import { ofKind, type SheetMirror } from '../engine/mirror.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import type { Config } from '../mapping/config.ts';
import { carryingMirrors } from '../mapping/needs.ts';
import {
  approvedRows,
  approveParked,
  declineParked,
  nothingWaits,
  waitingApprovals,
} from '../operate/approvals.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
} from './operator-command.ts';

export interface ApproveSession {
  readonly memory: SharedMemory;
  readonly known: KnownObjects;
  readonly deadLetters: DeadLetters;
  readonly acts: ActLog;
  close(): Promise<void>;
}

/**
 * `slotbridge approve`: a person permits what the worker has stopped as too much at once: deletions, orphans, erasures, mails, blocks, edits,
 * bookings. `slotbridge decline`: edits and bookings are not meant.
 */
export function addApprove(program: Command, parts: OperatorParts<ApproveSession> & { clock: Clock }): void {
  const approve = program
    .command('approve')
    .description('allow what the worker stopped because too much was affected at once');
  const decline = program.command('decline').description('decline what people typed in bulk into sheets');
  operatorCommand(
    approve
      .command('deletions <calendar|mirror|entry|contacts>')
      .description(
        'allow, for one hour, deletions in one calendar, ticks in the tab of a mirror or entry, or deletions of contacts missing from the list',
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
  for (const [kind, { what, place }] of Object.entries(TYPED)) {
    const approval = (name: string) => approvedRows(kind as HeldKind, name);
    operatorCommand(
      approve.command(`${kind} <${place}>`).description(`carry ${what} to the platform`),
    ).action((name: string, options: OperatorOptions) => allow(parts, options, approval(name)));
    operatorCommand(
      decline.command(`${kind} <${place}>`).description(`leave ${what}: the rows say that it was declined`),
    ).action((name: string, options: OperatorOptions) => refuse(parts, options, approval(name)));
  }
}

/** What people typed in bulk. Only this can be declined: something must become of each row. */
const TYPED = {
  edits: { place: 'mirror', what: "what people changed in bulk in a mirror's tab, and what waits now" },
  bookings: { place: 'entry', what: 'the rows entered in bulk in a booking sheet that wait now' },
} as const satisfies Readonly<Record<HeldKind, unknown>>;

/** What waits under this name now; undefined if nothing does. Rejects for a name that the mapping does not know. */
async function waitingAs(
  name: string,
  {
    session: { memory, known, deadLetters },
    config,
    clock,
  }: { readonly session: ApproveSession; readonly config: Config; readonly clock: Clock },
) {
  await assertIsKnown(name, config, known);
  const waiting = await waitingApprovals({ memory, deadLetters, clock });
  return waiting.find((each) => each.name === name);
}

async function refuse(
  parts: OperatorParts<ApproveSession> & { readonly clock: Clock },
  options: OperatorOptions,
  name: string,
): Promise<void> {
  await inSession(parts, options, async (session, config) => {
    const { memory } = session;
    const found = await waitingAs(name, { session, config, clock: parts.clock });
    const { members = [] } = found ?? {};
    let faster = '';
    const about = { approval: name };
    const act = { what: 'declined', about, objects: members, chosen: members.length };
    if (found !== undefined) {
      const noted = await noteCommand(parts, session.acts, act);
      const { done = 0 } = await declineParked({ memory }, found);
      await session.acts.note({ ...noted, done });
      faster = fasterThan(members.length - done);
    }
    const lines = members.map((member) => `\n  ${member}`).join('');
    say(parts.io, options, {
      text: `Declined what waits now. The worker tells the rows within seconds.${faster}${lines}`,
      json: { declined: name, members },
    });
  });
}

async function allow(
  parts: OperatorParts<ApproveSession> & { readonly clock: Clock },
  options: OperatorOptions,
  name: string,
): Promise<void> {
  await inSession(parts, options, async (session, config) => {
    const { memory } = session;
    const found = await waitingAs(name, { session, config, clock: parts.clock });
    const approval = found ?? nothingWaits(name);
    const { members } = approval;
    const { rest = 0 } = found ?? {};
    const isTyped = typedIn(name) !== undefined;
    const about = { approval: name };
    const act = {
      what: 'approved',
      about,
      objects: members ?? [],
      chosen: members?.length ?? found?.count ?? 0,
    };
    const noted = await noteCommand(parts, session.acts, act);
    const { untilMs, done = act.chosen } = await approveParked({ memory, clock: parts.clock }, approval);
    await session.acts.note({ ...noted, done });
    const lines = (members ?? []).map((member) => `\n  ${member}`).join('');
    const only =
      members === undefined
        ? ''
        : ` Only for ${counted(members.length, 'object')}:${lines}\n${rest > 0 ? `${rest} more wait: approve them after these. ` : ''}`;
    const faster = fasterThan(act.chosen - done);
    const json = { approved: name, ...(members !== undefined && { members }), ...(rest > 0 && { rest }) };
    if (untilMs === undefined) {
      const pause = isTyped ? 'within seconds' : 'within five minutes';
      const text = `Approved what waits now, and nothing later. The worker continues automatically ${pause}.`;
      say(parts.io, options, { text: `${text}${faster}${lines}`, json });
      return;
    }
    const until = new Date(untilMs).toISOString();
    const isNothing = found === undefined && members !== undefined;
    const head = isNothing ? NOTHING : `Approved until ${until}.${only === '' ? ' ' : only}`;
    say(parts.io, options, { text: `${head}${nextAfter(name)}`, json: { ...json, until } });
  });
}

const NOTHING =
  'Nothing waits there now, so nothing new is approved. What was approved before stays so for an hour. ';

function fasterThan(others: number): string {
  return others === 0 ? '' : ` Somebody else was faster with ${others} of these: \`slotbridge acts\`.`;
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

function typedIn(name: string): { readonly kind: HeldKind; readonly place: string } | undefined {
  const kinds = Object.keys(TYPED) as HeldKind[];
  const kind = kinds.find((each) => name.startsWith(approvedRows(each, '')));
  return kind === undefined ? undefined : { kind, place: name.slice(approvedRows(kind, '').length) };
}

async function assertIsKnown(
  name: string,
  { mirrors, blocks, bookings }: Config,
  known: KnownObjects,
): Promise<void> {
  const ofBlocks = blocksApproved('');
  const entry = name.startsWith(ofBlocks) ? name.slice(ofBlocks.length) : undefined;
  if (entry !== undefined && !blocks.some((rule) => rule.name === entry)) {
    throw new TerminalError('blocks-unknown', `blocks has no entry ${entry}`, {
      advice: 'Give the name of an entry in blocks.',
    });
  }
  const typed = typedIn(name);
  if (typed !== undefined) {
    const names = {
      edits: carryingMirrors({ mirrors }).map((mirror) => mirror.name),
      bookings: ofKind(bookings, 'sheet').map((rules) => rules.name),
    }[typed.kind];
    if (names.includes(typed.place)) return;
    throw new TerminalError('place-unknown', `nobody types ${typed.kind} into ${typed.place}`, {
      advice: `Give the name of ${typed.kind === 'edits' ? 'a mirror with edited: carry' : 'an entry of bookings with a spreadsheet'}.`,
    });
  }
  const calendars = mirrors.flatMap((mirror) =>
    mirror.kind === 'calendar' ? mirror.calendars.map(({ calendarId }) => calendarId) : [],
  );
  const ticked = [
    ...carryingMirrors({ mirrors }).filter(({ from }) => from === 'appointment'),
    ...ofKind(bookings, 'sheet').filter(({ columns }) => columns.cancel !== undefined),
  ].map((each) => each.name);
  const calendar = /^approved-deletions:(?!contacts$)(.*)$/s.exec(name)?.[1];
  if (calendar !== undefined && ![...calendars, ...ticked].includes(calendar)) {
    throw new TerminalError('calendar-unknown', `no mirror has a calendar ${calendar}`, {
      advice:
        'Give the id of a calendar of the mapping, the name of a mirror or entry with `cancel`, or contacts.',
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
