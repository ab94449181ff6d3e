import { expect } from 'vitest';
import { verdict } from '../office/api.ts';
import type { Desk } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';

const hidden = (properties: Record<string, unknown>) => ({ extendedProperties: { private: properties } });

async function found(desk: Desk, query: Record<string, string>): Promise<string[]> {
  return (await desk.all(query)).items.map((event) => event.id);
}

writing('[properties.1] private and shared properties come back', async (desk) => {
  const extendedProperties = { private: { crm: '7' }, shared: { team: 'a' } };
  const event = await desk.made({ extendedProperties });
  expect((await desk.get(event)).body.extendedProperties).toEqual(extendedProperties);
});

writing('[properties.2] a key of 45 characters disappears without a word', async (desk) => {
  const event = await desk.made(hidden({ ['k'.repeat(44)]: 'kept', ['l'.repeat(45)]: 'lost' }));
  expect(event.extendedProperties.private).toEqual({ ['k'.repeat(44)]: 'kept' });
});

writing('[properties.3] a value is cut after 1024 characters without a word', async (desk) => {
  const event = await desk.made(hidden({ whole: 'x'.repeat(1024), long: 'y'.repeat(1025) }));
  expect(event.extendedProperties.private).toEqual({ whole: 'x'.repeat(1024), long: 'y'.repeat(1024) });
});

writing('[properties.4] a patch adds a property', async (desk) => {
  const event = await desk.made(hidden({ a: '1' }));
  expect((await desk.patch(event, hidden({ b: '2' }))).body.extendedProperties.private).toEqual({
    a: '1',
    b: '2',
  });
});

writing('[properties.5] null in a patch takes one property away', async (desk) => {
  const event = await desk.made(hidden({ a: '1', b: '2' }));
  expect((await desk.patch(event, hidden({ a: null }))).body.extendedProperties.private).toEqual({ b: '2' });
});

writing('[properties.6] an update drops what it does not name', async (desk) => {
  const event = await desk.made(hidden({ a: '1', b: '2' }));
  expect((await desk.put(event, desk.eventBody(hidden({ b: '3' })))).body.extendedProperties.private).toEqual(
    {
      b: '3',
    },
  );
  expect((await desk.put(event, desk.eventBody())).body.extendedProperties).toBeUndefined();
});

writing('[properties.7] a list finds events by a private property', async (desk) => {
  const mark = desk.freshId();
  const event = await desk.made(hidden({ mark }));
  await desk.made(hidden({ mark: 'other' }));
  expect(await found(desk, { privateExtendedProperty: `mark=${mark}` })).toEqual([event.id]);
});

writing('[properties.8] a list finds events by a shared property', async (desk) => {
  const mark = desk.freshId();
  const event = await desk.made({ extendedProperties: { shared: { mark } } });
  await desk.made(hidden({ mark }));
  expect(await found(desk, { sharedExtendedProperty: `mark=${mark}` })).toEqual([event.id]);
});

writing('[properties.10] a property that is no text is refused', async (desk) => {
  expect((await desk.insert(hidden({ count: 7 }))).status).toBe(400);
});

needing('guess', '[properties.11] 301 properties are refused', async (stage) => {
  const many = (count: number) =>
    hidden(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'x'])));
  expect((await stage.insert(many(300))).status).toBe(200);
  expect(verdict(await stage.insert(many(301)))).toBe('400 invalid');
});

needing(
  'guess',
  '[properties.12] two events carry the same property after somebody duplicates one',
  async (stage) => {
    const event = await stage.made(hidden({ crm: '7' }));
    const copy = await stage.people('calendar/duplicate', { eventId: event.id });
    expect(copy.id).not.toBe(event.id);
    expect((await found(stage, { privateExtendedProperty: 'crm=7' })).sort()).toEqual(
      [event.id, copy.id].sort(),
    );
  },
);

writing('[properties.13] a property survives a change of the time', async (desk) => {
  const event = await desk.made(hidden({ crm: '7' }));
  const { body } = await desk.patch(event, { end: { dateTime: desk.at(11) } });
  expect(body.extendedProperties.private).toEqual({ crm: '7' });
});

writing('[properties.14] a value with an equals sign is found', async (desk) => {
  const mark = `${desk.freshId()}=b=c`;
  const event = await desk.made(hidden({ mark }));
  expect(await found(desk, { privateExtendedProperty: `mark=${mark}` })).toEqual([event.id]);
});
