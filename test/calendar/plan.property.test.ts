import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CalendarAction, type PlanInput, plan } from '../../src/calendar/route.ts';
import { type CalendarLink, toLink, toStored } from '../../src/engine/link.ts';
import { runsOf } from '../stand/runs.ts';

const calendarId = fc.constantFrom('a', 'b', 'c', 'd', 'e');
/** One of the calendars shows another event than the others. */
const newIn = (id: string) => (id === 'e' ? 'new of e' : 'new');
const link = fc
  .record({
    calendarId,
    eventId: fc.constantFrom('sb1', 'sb1g1', 'sb1g2'),
    etag: fc.constant('"1"'),
    hash: fc.constantFrom('', 'old', 'new', 'new of e'),
    coloured: fc.boolean(),
  })
  .map(toLink);
const input: fc.Arbitrary<PlanInput> = fc.record({
  calendars: fc.array(calendarId),
  hashIn: fc.constant(newIn),
  links: fc.uniqueArray(link, { selector: (each) => `${each.calendarId}/${each.eventId}`, maxLength: 8 }),
  mapped: fc.array(calendarId).map((ids) => new Set(ids)),
});

/** The links after every action of a plan has worked. */
function carriedOut(actions: readonly CalendarAction[], before: PlanInput): readonly CalendarLink[] {
  let links = [...before.links];
  for (const action of actions) {
    if (action.type === 'nothing') continue;
    if (action.type === 'create') {
      const { calendarId: at } = action;
      links.push(
        toLink({ calendarId: at, eventId: 'sb1', etag: '"2"', hash: before.hashIn(at), coloured: false }),
      );
      continue;
    }
    links = links.filter((each) => each !== action.link);
    if (action.type === 'update')
      links.push(toLink({ ...toStored(action.link), hash: before.hashIn(action.calendarId) }));
  }
  return links;
}

const holds = (property: (given: PlanInput) => void) =>
  fc.assert(fc.property(input, property), { numRuns: runsOf(2_000) });

describe('whatever is wanted and whatever stands there, a plan', () => {
  test('leaves one up-to-date event in every wanted calendar that is mapped', () =>
    holds((given) => {
      const after = carriedOut(plan(given), given);
      for (const id of given.calendars) {
        const there = after.filter((each) => each.calendarId === id);
        expect(there.some((each) => toStored(each).hash === given.hashIn(id))).toBe(true);
        if (given.mapped.has(id)) expect(there).toHaveLength(1);
      }
    }));

  test('leaves no event in a mapped calendar where none is wanted', () =>
    holds((given) => {
      const after = carriedOut(plan(given), given);
      for (const id of given.mapped) {
        if (!given.calendars.includes(id)) expect(after.some((each) => each.calendarId === id)).toBe(false);
      }
    }));

  test('never removes from a calendar outside the mapping (case 73)', () =>
    holds((given) => {
      for (const action of plan(given)) {
        if (action.type === 'remove') expect(given.mapped.has(action.calendarId)).toBe(true);
      }
    }));

  test('writes nothing when it is made again after it was carried out', () =>
    holds((given) => {
      const links = carriedOut(plan(given), given);
      expect(plan({ ...given, links }).filter((action) => action.type !== 'nothing')).toEqual([]);
    }));

  test('removes only after everything else', () =>
    holds((given) => {
      const types = plan(given).map((action) => action.type);
      const firstRemoval = types.indexOf('remove');
      if (firstRemoval < 0) return;
      const after = types.slice(firstRemoval);
      expect(after.every((type) => type === 'remove' || type === 'nothing')).toBe(true);
    }));

  test('names every link and every wanted calendar exactly once', () =>
    holds((given) => {
      const actions = plan(given);
      const links = actions.flatMap((action) => ('link' in action ? [action.link] : []));
      expect(new Set(links)).toEqual(new Set(given.links));
      expect(links).toHaveLength(given.links.length);
      const created = actions.filter((action) => action.type === 'create').map((action) => action.calendarId);
      const linked = given.links.map((each) => each.calendarId);
      expect(created).toEqual([...new Set(given.calendars)].filter((id) => !linked.includes(id)));
    }));
});

test('an equal hash means no call', () => {
  const links = [toLink({ calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'new', coloured: false })];
  expect(plan({ calendars: ['a'], hashIn: newIn, links, mapped: new Set(['a']) })).toMatchObject([
    { type: 'nothing', why: 'same' },
  ]);
});

describe('an event that people changed', () => {
  const about = { calendarId: 'a', eventId: 'sb1', etag: '"1"', hash: 'old', coloured: false };
  const given = (link: CalendarLink, more: Partial<PlanInput> = {}): PlanInput => ({
    ...{ calendars: ['a'], hashIn: newIn, links: [link], mapped: new Set(['a']), ...more },
  });

  test('is left alone while nothing is decided about it, wanted there or not', () => {
    const link = toLink({ ...about, editSeenAtMs: 1 });
    expect(plan(given(link))).toMatchObject([{ type: 'nothing', why: 'open' }]);
    expect(plan(given(link, { calendars: [] }))).toMatchObject([{ type: 'nothing', why: 'open' }]);
  });

  test('is left as it is where people may have their way', () => {
    expect(plan(given(toLink(about), { isLeft: () => true }))).toMatchObject([
      { type: 'nothing', why: 'left' },
    ]);
  });

  test('is taken away where people brought it beside the one that belongs there, though both have to be written', () => {
    const brought = toLink({ ...about, eventId: 'typed1', hash: '', strayed: true });
    const own = toLink({ ...about, hash: 'old' });
    for (const links of [
      [brought, own],
      [own, brought],
    ])
      expect(plan({ ...given(own), links })).toMatchObject([
        { type: 'update', link: own },
        { type: 'remove', link: brought },
      ]);
  });

  test('is never the one of a calendar of a team that has none yet', () => {
    const brought = toLink({ ...about, eventId: 'typed1', hash: '', strayed: true });
    const isGuest = (link: CalendarLink) => link.eventId === 'typed1';
    expect(plan(given(brought, { isGuest }))).toMatchObject([
      { type: 'create', calendarId: 'a' },
      { type: 'remove', link: brought },
    ]);
  });

  test('is removed from a calendar that people moved it to if the appointment does not belong there, mapped or not', () => {
    const asked = given(toLink({ ...about, hash: '', strayed: true }), { calendars: [], mapped: new Set() });
    expect(plan(asked)).toMatchObject([{ type: 'remove' }]);
  });
});
