import { assertNever } from '../../domain/errors.ts';
import type { Mirror } from '../../domain/mirror.ts';
import type { ConfigDocument } from '../document.ts';
import { toCalendars, toEvent } from '../schema/calendar.ts';
import { KIND_OF, type WrittenMirror } from '../schema/mirror.ts';
import { toSheet } from '../schema/sheet.ts';
import { staffEditsSection, toStaffEdits } from '../schema/staff-edits.ts';
import { toAppointmentFilter, toContactFilter } from '../schema/where.ts';
import { toConversationFilter, toLeadFilter, toMessageFilter } from '../schema/where-chats.ts';
import type { CompileCondition } from '../schema/where-content.ts';
import { findKeyColumn } from './key-column.ts';
import { rulePath } from './sketch.ts';

/** The mirror of a file that has passed every check. */
export function buildMirror(
  name: string,
  written: WrittenMirror,
  from: {
    readonly document: ConfigDocument;
    readonly compile: CompileCondition;
    /** What becomes of rows of deleted objects where the mirror does not say. */
    readonly deleted: 'clear' | 'keep';
  },
): Mirror {
  const { document, compile, deleted } = from;
  if (written.from !== 'appointments') {
    return {
      ...{ kind: 'sheet', name, ...sourceOf(written, compile) },
      ...sheetOf(name, written, document, deleted),
    };
  }
  const where = toAppointmentFilter(written.where, compile);
  if (written.calendars === undefined || written.event === undefined) {
    return { kind: 'sheet', name, from: 'appointment', where, ...sheetOf(name, written, document, deleted) };
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

function sheetOf(name: string, written: WrittenMirror, document: ConfigDocument, deleted: 'clear' | 'keep') {
  const { sheet, columns } = written;
  if (sheet === undefined || columns === undefined)
    throw new Error(`mirror ${name} passed the checks without a target`);
  const order = document.keysAt(['mirrors', name, 'columns']);
  const found = findKeyColumn(
    order.map((header) => ({ header: header.trim(), template: columns[header]?.value })),
    sheet.key,
  );
  if ('advice' in found) throw new Error(`mirror ${name} passed the checks without a key column`);
  return toSheet(sheet, columns, { order, keyHeader: found.header, from: KIND_OF[written.from], deleted });
}
