// Something changes the cells again after each write: a script, an add-on, another program.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SheetMirror } from '../../src/engine/mirror.ts';
import { SheetChecker } from '../../src/sheet/check.ts';
import { RememberedTabs } from '../../src/sheet/tab-survey.ts';
import { SheetZones } from '../../src/sheet/typed-cell.ts';
import { MapMemory } from '../doubles/map-memory.ts';
import { MemorySheetRows } from '../doubles/sheet-rows.ts';
import { double } from '../stand/double.ts';
import { BOOK, CONTACTS, contact, id, line, type Stand, startStand } from './stand.ts';

const AT = { spreadsheetId: BOOK, tab: 'Contacts' };

describe('a row that does not keep what is written into it', () => {
  let stand: Stand;
  let isScriptOn = true;
  const spoil = () => stand.sandbox.staff.sheets.setCell({ ...AT, cell: 'B3', value: 'SCRIPT' });
  beforeEach(async () => {
    isScriptOn = true;
    stand = await startStand({ tabs: [{ title: 'Contacts', rows: 100, columns: 6 }] });
    stand.put(contact(1), contact(2), contact(3));
    await stand.flush();
    stand.sandbox.resetCounts();
  });
  afterEach(() => stand.close());
  const writes = () => stand.sandbox.stats().callsByMethod['spreadsheets.batchUpdate'] ?? 0;

  describe('because it is changed at once', () => {
    beforeEach(() => {
      stand.sandbox.onSheetWrite(() => {
        if (isScriptOn) spoil();
      });
    });

    it('is written five times, then given up by name, and the other rows go on', async () => {
      stand.put(contact(2, 'New 2'), contact(3, 'New 3'));
      for (let times = 0; times < 10; times += 1) {
        await stand.flush();
        // Another process counts on.
        stand.restart();
      }
      expect(stand.values()[3]).toEqual(line(3, 'New 3'));
      const [first] = stand.refused;
      expect(first?.row.rowKey).toBe(id(2));
      expect(first?.error).toMatchObject({
        family: 'terminal',
        code: 'cells-not-kept',
        advice: expect.stringContaining('script'),
      });
      expect([writes(), stand.refused.length]).toEqual([5, 1]);
      const told = stand.log.lines.filter(({ message }) => message === 'row does not keep what is written');
      expect(told).toMatchObject([{ fields: { mirror: 'contacts', key: `contact/${id(2)}` } }]);
      expect(await stand.waiting()).toEqual([]);
    });

    it('is tried again when it could not be given up, and never waits unseen', async () => {
      let failures = 1;
      const { outbox } = stand;
      const refuse = outbox.refuse.bind(outbox);
      outbox.refuse = (given) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the store is away');
        refuse(given);
      };
      stand.put(contact(2, 'New 2'));
      for (let times = 0; times < 8; times += 1) await stand.flush().catch(() => undefined);
      expect(await stand.waiting()).toEqual([]);
      expect(writes()).toBe(6);
    });

    it('keeps no new row beside it from being seen, and costs the next flush no look for merged cells', async () => {
      stand.put(contact(2, 'New 2'), contact(4));
      expect(await stand.flush()).toEqual({ written: 1, remaining: 1 });
      isScriptOn = false;
      stand.sandbox.resetCounts();
      expect(await stand.flush()).toEqual({ written: 1, remaining: 0 });
      expect(stand.sandbox.stats().callsByMethod).toEqual({
        'spreadsheets.values.batchGetByDataFilter': 1,
        'spreadsheets.batchUpdate': 1,
      });
    });

    it('rests until it is another row', async () => {
      stand.put(contact(2, 'New 2'));
      for (let times = 0; times < 10; times += 1) await stand.flush();
      expect([writes(), stand.refused.length]).toEqual([5, 1]);
      isScriptOn = false;
      stand.put(contact(2, 'Newer 2'));
      await stand.flush();
      expect(stand.values()[2]).toEqual(line(2, 'Newer 2'));
      expect(stand.refused.length).toBe(1);
    });
  });

  it('that was only not written, because Google failed, is not given up', async () => {
    stand.put(contact(2, 'New 2'));
    stand.sandbox.faults.add({
      path: /:batchUpdate/,
      times: 8,
      fault: { kind: 'status', status: 503 },
    });
    for (let times = 0; times < 8; times += 1) await stand.flush().catch(() => undefined);
    expect(stand.refused).toEqual([]);
    await stand.flush();
    expect(stand.values()[2]).toEqual(line(2, 'New 2'));
  });

  describe('because it is changed a little later', () => {
    const check = { everyMs: 600_000, removed: 'restore', edited: 'restore' } as const;
    const look = async () => {
      await new SheetChecker({
        ...{
          api: stand.api,
          rows: double(new MemorySheetRows(stand.outbox)),
          tabs: new RememberedTabs(new MapMemory()),
        },
        mirrors: [{ ...CONTACTS, check } as SheetMirror],
        zones: new SheetZones({ api: stand.api, memory: new MapMemory(), problems: stand.problems }),
        ...{
          unkept: double(stand.unkept),
          problems: stand.problems,
          clock: { now: Date.now },
          log: stand.log,
        },
      }).check(BOOK);
    };
    const lookAndWrite = async () => {
      await look();
      await stand.flushAll();
    };

    it('is put back at three looks, then told of by name and left alone', async () => {
      for (let times = 0; times < 8; times += 1) {
        spoil();
        await lookAndWrite();
      }
      expect(writes()).toBe(3);
      expect(stand.values()[2]).toEqual([id(2), 'SCRIPT', '+41780002']);
      expect(stand.unkept.letters).toMatchObject([
        { key: `contact/${id(2)}`, attempts: 3, reasons: [{ code: 'cells-not-kept', mirror: 'contacts' }] },
      ]);
      // Its next change is written, and begins anew.
      stand.put(contact(2, 'New 2'));
      await lookAndWrite();
      expect(stand.values()[2]).toEqual(line(2, 'New 2'));
    });

    it('is told of at the next look when it could not be told of, and once', async () => {
      const { unkept } = stand;
      const tell = unkept.tell.bind(unkept);
      let refusals = 0;
      unkept.tell = async (mirror, letter) => {
        if (refusals === 2) return tell(mirror, letter);
        refusals += 1;
        throw new Error('the store is away');
      };
      for (let times = 0; times < 10; times += 1) {
        spoil();
        await lookAndWrite().catch(() => undefined);
      }
      expect([refusals, writes()]).toEqual([2, 3]);
      expect(unkept.letters).toMatchObject([{ key: `contact/${id(2)}`, attempts: 3 }]);
    });

    it('is not what a row is that waits all the while, because nobody can write it', async () => {
      spoil();
      for (let times = 0; times < 8; times += 1) await look();
      expect(await stand.waiting()).toEqual([id(2)]);
      await stand.flushAll();
      expect(stand.values()[2]).toEqual(line(2));
      expect(stand.unkept.letters).toEqual([]);
      for (let times = 0; times < 8; times += 1) {
        spoil();
        await lookAndWrite();
      }
      expect(writes()).toBe(3);
      expect(stand.unkept.letters).toMatchObject([{ key: `contact/${id(2)}`, attempts: 3 }]);
    });

    it('is not what a person is who types over it now and then', async () => {
      for (let times = 0; times < 8; times += 1) {
        spoil();
        await lookAndWrite();
        await lookAndWrite();
      }
      expect(writes()).toBe(8);
      expect(stand.unkept.letters).toEqual([]);
    });
  });
});
