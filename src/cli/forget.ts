import type { Command } from 'commander';
import { counted } from '../engine/counts.ts';
import type { Erased, ErasureReceipt } from '../engine/erasure.ts';
import { isLimit, TerminalError } from '../engine/errors.ts';
import { type EntityKey, isShortId } from '../engine/object.ts';
import type { PersonMatch } from '../engine/person.ts';
import type { ActLog } from '../engine/role.ts';
import type { Clock } from '../engine/runtime.ts';
import {
  inSession,
  noteCommand,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
  wholeContact,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';

/** What a session can do to erase a person. It gets the `Plan` back unchanged. */
export interface ForgetSession<Plan extends ForgetPlanFigures> {
  readonly acts: ActLog;
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  readonly planForget: (contactId: string) => Promise<Plan>;
  readonly runForget: (
    plan: Plan,
  ) => Promise<
    | { readonly state: 'erased'; readonly receipt: ErasureReceipt; readonly left: Plan['left'] }
    | { readonly state: 'unfinished'; readonly erased: Erased; readonly unread: Plan['unread'] }
  >;
  close(): Promise<void>;
}

interface ForgetOptions extends OperatorOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly receipt?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `slotbridge forget contact`: erases what the worker has written and stored about one person, with proof. */
export function addForget<Plan extends ForgetPlanFigures>(
  program: Command,
  parts: OperatorParts<ForgetSession<Plan>> & { readonly clock: Clock; readonly onBroken: () => void },
): void {
  const forget = program.command('forget').description('erase the data of one person, with a receipt');
  operatorCommand(
    forget
      .command('contact <id>')
      .description('erase one person from calendars, sheets and Redis; asks first')
      .option('--yes', 'do not ask')
      .option('--dry-run', 'only list what would be erased')
      .option('--receipt <file>', 'write the receipt into this file'),
  ).action(async (id: string, options: ForgetOptions) => {
    assertIsId(id);
    assertCanBeAsked(options);
    await inReceipt(options, 'nothing was erased', ({ tryPrivateFile }, path) => tryPrivateFile(path));
    return inSession(parts, options, async (session) => {
      const plan = await session.planForget(await wholeContact(session, id.trim()));
      if (options.json !== true || options.dryRun === true)
        say(parts.io, options, { text: formatForgetPlan(plan), json: figuresOf(plan) });
      if (options.dryRun === true) return;
      if (options.yes !== true && !(await isConfirmed(parts))) {
        say(parts.io, { ...options, json: false }, { text: 'Nothing was erased.', json: undefined });
        return;
      }
      // Names no object: the entry would keep the ids that it says are erased.
      const chosen = plan.order.keys.length;
      const act = await noteCommand(parts, session.acts, { what: 'forgotten', chosen });
      const outcome = await session.runForget(plan);
      if (outcome.state === 'unfinished') {
        const { erased, unread } = outcome;
        say(parts.io, options, {
          text: formatUnfinished(erased, unread),
          json: { state: 'unfinished', erased, unread },
        });
        parts.onBroken();
        return;
      }
      const { receipt, left } = outcome;
      const text = `${JSON.stringify(receipt, null, 2)}\n`;
      say(parts.io, options, { text: formatReceipt(receipt, left), json: receipt });
      await session.acts.note({ ...act, done: chosen });
      await inReceipt(options, `the person is erased; this is the receipt:\n${text}`, (files, path) =>
        files.writePrivateFile(path, text),
      );
    });
  });
}

function assertIsId(id: string): void {
  if (UUID.test(id.trim()) || isShortId(id.trim())) return;
  throw new UsageError('contact-unclear', 'this is not the id of a contact', {
    advice: '`slotbridge whereis contact <phone|e-mail>` prints the id.',
  });
}

/** Programs read JSON, and programs answer no questions. */
function assertCanBeAsked({ json, yes, dryRun }: ForgetOptions): void {
  if (json !== true || yes === true || dryRun === true) return;
  throw new UsageError('yes-missing', '--json cannot ask for confirmation', {
    advice: 'Add --yes to erase, or --dry-run to see what would be erased.',
  });
}

async function isConfirmed({ io }: Pick<OperatorParts<never>, 'io'>): Promise<boolean> {
  const { openAsker } = await import('./ask.ts');
  const asker = openAsker(io);
  try {
    return await asker.confirm('Erase all of this? It cannot be undone.', 'no');
  } finally {
    asker.close();
  }
}

/** Does something with the file of the receipt, if one is wished. `done`: what has become of the person when that fails. */
async function inReceipt(
  { receipt: path }: ForgetOptions,
  done: string,
  work: (files: typeof import('./private-file.ts'), path: string) => void,
): Promise<void> {
  if (path === undefined) return;
  try {
    work(await import('./private-file.ts'), path);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw new TerminalError('receipt-unwritable', `${path} cannot be written (${reason}): ${done}`, {
      advice: 'Give --receipt a file in an existing, writable folder.',
      cause,
    });
  }
}

/** The plan without the terms that identify the person. */
function figuresOf({ order, events, rewritten, cells, keys, upcoming, left, unread }: ForgetPlanFigures) {
  return { objects: order.keys, events, rewritten, cells, keys, upcoming, left, unread };
}

interface Left {
  readonly where: string;
  readonly name: string;
  readonly by: readonly PersonMatch[];
  readonly why?: string;
}

interface Unread {
  readonly place: string;
  readonly code: string;
}

interface ForgetPlanFigures {
  readonly order: {
    readonly keys: readonly string[];
    readonly terms: Readonly<Record<'phones' | 'emails', readonly string[]>>;
  };
  readonly events: number;
  readonly rewritten: number;
  readonly cells: number;
  readonly keys: number;
  readonly upcoming: number;
  readonly left: readonly Left[];
  readonly unread: readonly Unread[];
}

function formatForgetPlan(plan: ForgetPlanFigures): string {
  return [
    `${counted(plan.order.keys.length, 'object')} of this person: ${plan.order.keys.join(', ')}`,
    `To be erased: ${amounts(plan)}, ${counted(plan.keys, 'key')} in Redis.`,
    ...(plan.upcoming === 0
      ? []
      : [
          `${counted(plan.upcoming, 'appointment')} upcoming: the event is removed, but the appointment stays on the platform. Cancel it there.`,
        ]),
    ...(plan.order.terms.phones.length + plan.order.terms.emails.length === 0 ? [BY_IDS_ONLY] : []),
    ...formatLeft(plan.left),
    ...formatUnread(plan.unread),
  ].join('\n');
}

/** Shown when the platform has deleted the contact and retention has erased its phone and e-mail. */
const BY_IDS_ONLY =
  'Phone and e-mail are no longer known: only places with an id of the person are found. Search calendars and sheets for the name manually.';

function formatReceipt(receipt: ErasureReceipt, left: readonly Left[]): string {
  const { erased } = receipt;
  const keys = Object.values(erased.keys).reduce((sum, count) => sum + count, 0);
  return [
    `Erased, and verified at ${receipt.verified}: ${amounts(erased)}, ${counted(keys, 'entry', 'entries')} in Redis.`,
    ...(receipt.recognisedBy.some((kind) => kind === 'phone' || kind === 'email') ? [] : [BY_IDS_ONLY]),
    ...formatLeft(left),
    `Not reached: ${receipt.outOfReach.join('; ')}.`,
  ].join('\n');
}

function formatUnfinished(erased: Erased, unread: readonly Unread[]): string {
  return [
    `NOT FINISHED. So far: ${amounts(erased)}.`,
    ...formatUnread(unread),
    unread.every(({ code }) => isLimit(code))
      ? 'Run the command again in a minute: the limit ends by itself, and it continues from there.'
      : 'Fix this, then run the command again: it continues from there.',
  ].join('\n');
}

function amounts({ events, rewritten, cells }: Pick<Erased, 'events' | 'rewritten' | 'cells'>): string {
  return `${counted(events, 'event')}, ${counted(rewritten, 'event')} of people's own redacted, ${counted(cells, 'cell')}`;
}

function formatLeft(left: readonly Left[]): readonly string[] {
  if (left.length === 0) return [];
  return [
    'Not changed, because it may be about somebody else, belongs to another object, or cannot be written:',
    ...left.map(
      ({ where, name, by, why }) => `  ${where}: ${name}  (${[...by, why ?? []].flat().join(', ')})`,
    ),
  ];
}

function formatUnread(unread: readonly Unread[]): readonly string[] {
  return unread.map(({ place, code }) => `NOT READ: ${place} (${code})`);
}
