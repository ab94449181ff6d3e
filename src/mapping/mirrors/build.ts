import { assertNever } from '../../engine/domain/errors.ts';
import type { Mirror } from '../../engine/domain/mirror.ts';
import type { SheetCarry } from '../../engine/domain/row-edit.ts';
import type { ConfigDocument } from '../document.ts';
import { toCalendars, toEvent } from '../schema/calendar.ts';
import { toClasses } from '../schema/classes.ts';
import { KIND_OF, type WrittenMirror } from '../schema/mirror.ts';
import { toSheet } from '../schema/sheet.ts';
import { staffEditsSection, toStaffEdits } from '../schema/staff-edits.ts';
import { toAppointmentFilter, toContactFilter } from '../schema/where.ts';
import { toConversationFilter, toLeadFilter, toMessageFilter } from '../schema/where-chats.ts';
import type { CompileCondition } from '../schema/where-content.ts';
import { findKeyColumn } from './key-column.ts';
import { rulePath } from './sketch.ts';

/** Builds the mirror of an entry that has passed every check. */
export function buildMirror(
  name: string,
  written: WrittenMirror,
  from: {
    readonly document: ConfigDocument;
    readonly compile: CompileCondition;
    /** What happens to rows of deleted objects when the mirror does not say. */
    readonly deleted: 'clear' | 'keep';
    /** The language of texts for people. */
    readonly language: SheetCarry['language'];
  },
): Mirror {
  const { document, compile } = from;
  const sheet = () => sheetOf({ ...from, name, written });
  if (written.from !== 'appointments') {
    return {
      ...{ kind: 'sheet', name, ...sourceOf(written, compile) },
      ...sheet(),
    };
  }
  const where = toAppointmentFilter(written.where, compile);
  if (written.calendars === undefined || written.event === undefined) {
    return { kind: 'sheet', name, from: 'appointment', where, ...sheet() };
  }
  return {
    kind: 'calendar',
    name,
    from: 'appointment',
    where,
    calendars: written.calendars.flatMap((rule, at) =>
      toCalendars(rule, document.keysAt([...rulePath(name, at, document), 'map'])),
    ),
    event: toEvent(written.event),
    ...(written.classes && { classes: toClasses(written.classes) }),
    staffEdits: toStaffEdits(written.staff_edits ?? staffEditsSection.parse({})),
  };
}

function sourceOf(written: Exclude<WrittenMirror, { from: 'appointments' }>, compile: CompileCondition) {
  switch (written.from) {
    case 'contacts':
      return { from: 'contact', where: toContactFilter(written.where, compile) } as const;
    case 'leads':
      return { from: 'lead', where: toLeadFilter(written.where, compile) } as const;
    case 'conversations':
      return { from: 'conversation', where: toConversationFilter(written.where, compile) } as const;
    case 'messages':
      return { from: 'message', where: toMessageFilter(written.where, compile) } as const;
    default:
      return assertNever(written, 'source of a mirror');
  }
}

function sheetOf({
  name,
  written,
  document,
  deleted,
  language,
}: {
  readonly name: string;
  readonly written: WrittenMirror;
  readonly document: ConfigDocument;
  readonly deleted: 'clear' | 'keep';
  readonly language: SheetCarry['language'];
}) {
  const { sheet, columns } = written;
  if (sheet === undefined || columns === undefined)
    throw new Error(`mirror ${name} passed the checks without a target`);
  const order = document.keysAt(['mirrors', name, 'columns']);
  const found = findKeyColumn(
    order.map((header) => ({ header: header.trim(), template: columns[header]?.value })),
    sheet.key,
  );
  if ('advice' in found) throw new Error(`mirror ${name} passed the checks without a key column`);
  const about = { order, keyHeader: found.header, from: KIND_OF[written.from], deleted, language };
  return toSheet(sheet, columns, about);
}
