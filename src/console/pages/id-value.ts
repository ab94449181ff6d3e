import type { LIST_KINDS } from '../replay-form.ts';
import type { Words } from '../words/en.ts';

/** What stands beside an act or a decision, in words where it is a code. Ids and what people wrote stay as they are. */
export function idValue(name: string, value: string, { codes, again, letters }: Words): string {
  const each = (told: (one: string) => string) => value.split(', ').map(told).join(', ');
  switch (name) {
    case 'code':
    case 'reason':
    case 'reasons':
      return each(codes.failure);
    case 'differences':
      return each((kind) => (codes.differences as Readonly<Record<string, string>>)[kind] ?? kind);
    case 'lists':
      return each((list) => again.lists[list.replace(/s$/, '') as (typeof LIST_KINDS)[number]] ?? list);
    case 'types':
      return each((type) => (again.types as Readonly<Record<string, string>>)[type] ?? type);
    case 'fields':
      return value
        .split(' ')
        .map((field) => codes.eventFields[field] ?? field)
        .join(', ');
    case 'place':
      return codes.target(value);
    case 'age':
      return (letters.ages as Readonly<Record<string, string>>)[value] ?? value;
    case 'force':
      return codes.yes;
    default:
      return value;
  }
}
