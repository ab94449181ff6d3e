import type { Erased, ErasureReceipt } from '../engine/domain/erasure.ts';
import { isLimit } from '../engine/domain/errors.ts';
import type { PersonMatch } from '../engine/domain/person.ts';
import { counted } from './idle.ts';

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

export interface ForgetPlanFigures {
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

export function formatForgetPlan(plan: ForgetPlanFigures): string {
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

export function formatReceipt(receipt: ErasureReceipt, left: readonly Left[]): string {
  const { erased } = receipt;
  const keys = Object.values(erased.keys).reduce((sum, count) => sum + count, 0);
  return [
    `Erased, and verified at ${receipt.verified}: ${amounts(erased)}, ${counted(keys, 'entry', 'entries')} in Redis.`,
    ...(receipt.recognisedBy.some((kind) => kind === 'phone' || kind === 'email') ? [] : [BY_IDS_ONLY]),
    ...formatLeft(left),
    `Not reached: ${receipt.outOfReach.join('; ')}.`,
  ].join('\n');
}

export function formatUnfinished(erased: Erased, unread: readonly Unread[]): string {
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
