import { describe, expect, test, vi } from 'vitest';
import { createGuests, GUEST_LINES_MAX } from '../../../src/calendar/class-guests.ts';
import { NO_DIRECTORY } from '../../../src/engine/mirror.ts';
import type { Snapshot } from '../../../src/engine/object.ts';
import type { KnownCustomer } from '../../../src/engine/person.ts';
import { double } from '../../stand/double.ts';

const NAME = '{{ customer_name }}{% if guests_count > 1 %} ({{ guests_count }}){% endif %}';

function member(id: string, fields: Partial<Snapshot> = {}): Snapshot {
  return { id, customer_name: `Typed ${id}`, created_at: `2026-01-0${id}T00:00:00Z`, ...fields };
}

function guestsWith(
  about: { template?: string; erased?: readonly string[]; customers?: Record<string, KnownCustomer> } = {},
) {
  const { template = NAME, erased = [], customers = {} } = about;
  const customerOf = vi.fn(async ({ id }: Snapshot) => customers[id]);
  const guestsOf = createGuests(template, {
    erased: double({
      among: async (all) => new Set(all.map(({ id }) => id).filter((id) => erased.includes(id))),
    }),
    ...{ customerOf, directory: { current: () => NO_DIRECTORY } },
  });
  return { customerOf, guestsOf };
}
const texts = async (members: readonly Snapshot[], about?: Parameters<typeof guestsWith>[0]) =>
  (await guestsWith(about).guestsOf(members)).lines.map(({ text }) => text);

describe('the guests of a class', () => {
  test('stand in the order in which they booked, by the name of their contact, else as they were booked', async () => {
    const members = [member('2', { guests_count: 3 }), member('1')];
    expect(await texts(members, { customers: { 1: { name: 'Vera Orlova' } } })).toEqual([
      'Vera Orlova',
      'Typed 2 (3)',
    ]);
    expect((await guestsWith().guestsOf(members)).people).toBe(4);
  });

  test('are not those who were erased: nothing is asked of their contacts, and they are counted', async () => {
    const { customerOf, guestsOf } = guestsWith({ erased: ['1'] });
    expect(await guestsOf([member('1'), member('2')])).toEqual({
      lines: [{ id: '2', text: 'Typed 2', people: 1 }],
      people: 2,
    });
    expect(customerOf.mock.calls.map(([{ id }]) => id)).toEqual(['2']);
  });

  test('P9: whatever they typed is one line of text, and no markup', async () => {
    const hostile = '<a href="x">Pay</a>\r\nand 9 more\u0000\n\ud800 & "co"';
    expect(await texts([member('1', { customer_name: hostile })])).toEqual([
      '&lt;a href="x"&gt;Pay&lt;/a&gt; and 9 more \uFFFD & "co"'.replace('& ', '&amp; '),
    ]);
  });

  test('P9: a name of a megabyte is cut before it is rendered, and its line with it', async () => {
    const fields = { customer_name: '&'.repeat(1024 * 1024), metadata: { note: 'x'.repeat(1024 * 1024) } };
    const template = '{{ customer_name }}{{ metadata.note | size }}';
    const [line = ''] = await texts([member('1', fields)], { template });
    expect(line.length).toBeLessThanOrEqual(300);
    expect(line).toMatch(/^(&amp;)+…$/);
    expect(await texts([member('1', fields)], { template: '{{ metadata.note | size }}' })).toEqual(['500']);
  });

  test('P9: somebody whose text the template cannot take is counted, and the others are named', async () => {
    const template = '{{ customer_name }}{% for i in (1..metadata.times) %}!{% endfor %}';
    const members = [member('1', { metadata: { times: 1 } }), member('2', { metadata: { times: 1e9 } })];
    expect(await guestsWith({ template }).guestsOf(members)).toEqual({
      lines: [{ id: '1', text: 'Typed 1!', people: 1 }],
      people: 2,
    });
    // Where it takes nobody's, the mapping is to blame.
    await expect(guestsWith({ template }).guestsOf(members.slice(1))).rejects.toMatchObject({
      code: 'template-failed',
    });
  });

  test('are no more than an event has room for', async () => {
    const members = Array.from({ length: 5_000 }, (_, at) => member(String(at), { created_at: undefined }));
    const { customerOf, guestsOf } = guestsWith();
    const { lines, people } = await guestsOf(members);
    expect([lines.length, people, customerOf.mock.calls.length]).toEqual([
      GUEST_LINES_MAX,
      5_000,
      GUEST_LINES_MAX,
    ]);
  });

  test('without a name have no line', async () => {
    expect(await texts([member('1', { customer_name: null })])).toEqual([]);
  });
});
