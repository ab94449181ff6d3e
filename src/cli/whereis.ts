import type { Command } from 'commander';
import { type EntityKey, isShortId } from '../engine/object.ts';
import { formatPerson, type PersonReport } from '../operate/personal-data.ts';
import {
  inSession,
  type OperatorOptions,
  type OperatorParts,
  operatorCommand,
  say,
  wholeContact,
} from './operator-command.ts';
import { UsageError } from './usage-error.ts';

export interface WhereIsSession {
  readonly whereIs: (asked: string) => Promise<PersonReport>;
  readonly find: (what: string, id: string) => Promise<readonly EntityKey[]>;
  close(): Promise<void>;
}

const ASKED_CHARS_MAX = 320;
const PHONE_DIGITS_MIN = 7;

/** `slotbridge whereis contact`: what is stored about one person, and where. */
export function addWhereIs(
  program: Command,
  parts: OperatorParts<WhereIsSession> & { readonly onBroken: () => void },
): void {
  const whereis = program.command('whereis').description('find the data of one person');
  operatorCommand(
    whereis
      .command('contact <id|phone|e-mail>')
      .description(
        'list every event, row and Redis key that holds something about a person; changes nothing',
      ),
  ).action((asked: string, options: OperatorOptions) => {
    assertUsable(asked);
    return inSession(parts, options, async (session) => {
      // Digits alone are a phone number.
      const isBegun = isShortId(asked.trim()) && /[a-f]/i.test(asked);
      const whom = isBegun ? await wholeContact(session, asked.trim()) : asked.trim();
      const report = await session.whereIs(whom);
      say(parts.io, options, { text: formatPerson(report), json: report });
      if (report.unread.length > 0) parts.onBroken();
    });
  });
}

function assertUsable(asked: string): void {
  const isId = /^[0-9a-f-]{36}$/i.test(asked.trim()) || isShortId(asked.trim());
  const isSomething = isId || asked.includes('@') || asked.replaceAll(/\D/g, '').length >= PHONE_DIGITS_MIN;
  if (isSomething && asked.length <= ASKED_CHARS_MAX) return;
  throw new UsageError('person-unclear', 'this is not an id, a phone number or an e-mail address', {
    advice: 'Give the id of a contact, a phone number with its country code, or an e-mail address.',
  });
}
