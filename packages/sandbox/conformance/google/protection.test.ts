import { expect } from 'vitest';
import { messageOf } from '../office/api.ts';
import type { Sent } from '../office/desk.ts';
import { needing, writing } from '../office/fact.ts';
import { ACCOUNT, type Stage } from '../office/stage.ts';
import type { Tab } from '../office/tab.ts';

const PROTECTED =
  'You are trying to edit a protected cell or object. Please contact the spreadsheet owner to remove protection if you need to edit.';

/** A tab whose first column another user protects; `changes` override the protection. */
async function guarded(stage: Stage, changes: Record<string, unknown> = {}): Promise<Tab> {
  const tab = await stage.tab({ values: [['a', 'b']] });
  await stage.people('sheets/protectRange', { tab: tab.title, range: 'A:A', ...changes });
  return tab;
}

async function protections(tab: Tab): Promise<Sent[]> {
  return (await tab.shown()).protectedRanges ?? [];
}

needing('people', '[protection.1] a protected cell is not written, the one beside it is', async (stage) => {
  const tab = await guarded(stage);
  const refused = await tab.write('A1', [['x']]);
  expect([refused.status, messageOf(refused)]).toEqual([400, PROTECTED]);
  expect((await tab.write('B1', [['x']])).status).toBe(200);
  expect(await tab.values('A1:B1')).toEqual([['a', 'x']]);
});

needing('people', '[protection.2] a batch that meets a protected cell writes nothing', async (stage) => {
  const tab = await guarded(stage);
  const data = ['B1', 'A1'].map((area) => ({ range: tab.range(area), values: [['x']] }));
  const body = { valueInputOption: 'RAW', data };
  const refused = await stage.sheets('POST', '/values:batchUpdate', { body });
  expect([refused.status, messageOf(refused)]).toEqual([400, `Invalid data[1]: ${PROTECTED}`]);
  expect(await tab.values('A1:B1')).toEqual([['a', 'b']]);
});

needing('people', '[protection.3] an editor writes', async (stage) => {
  const tab = await guarded(stage, { editors: [ACCOUNT] });
  expect((await tab.write('A1', [['x']])).status).toBe(200);
});

needing('guess', '[protection.4] a warning warns people, not programs', async (stage) => {
  const tab = await guarded(stage, { warningOnly: true });
  expect((await tab.write('A1', [['x']])).status).toBe(200);
});

needing(
  'people',
  '[protection.5][protection.6] a range says whether one may edit it, and tells its editors only then',
  async (stage) => {
    const [closed] = await protections(await guarded(stage));
    expect([closed.requestingUserCanEdit ?? false, closed.editors]).toEqual([false, undefined]);
    const [open] = await protections(await guarded(stage, { editors: [ACCOUNT] }));
    expect([open.requestingUserCanEdit, open.editors.users]).toEqual([
      true,
      expect.arrayContaining([ACCOUNT]),
    ]);
  },
);

writing('[protection.7] who protects may edit', async (desk) => {
  const tab = await desk.tab();
  const protectedRange = { range: tab.grid([0, 1]), description: 'Header' };
  const { body } = await desk.batch({ addProtectedRange: { protectedRange } });
  expect(body.replies[0].addProtectedRange.protectedRange).toMatchObject({
    description: 'Header',
    requestingUserCanEdit: true,
  });
  expect((await tab.write('A1', [['x']])).status).toBe(200);
});

writing('[protection.8] a protected row moves down with what is inserted above', async (desk) => {
  const tab = await desk.tab();
  await desk.batch({ addProtectedRange: { protectedRange: { range: tab.grid([2, 3]) } } });
  await desk.batch({ insertDimension: { range: tab.span('ROWS', 0, 1), inheritFromBefore: false } });
  const [held] = await protections(tab);
  expect([held.range.startRowIndex, held.range.endRowIndex]).toEqual([3, 4]);
});

writing('[protection.9] a protection gets another text, and goes', async (desk) => {
  const tab = await desk.tab();
  await desk.batch({ addProtectedRange: { protectedRange: { range: tab.grid([0, 1]) } } });
  const [{ protectedRangeId }] = await protections(tab);
  const protectedRange = { protectedRangeId, description: 'Mine' };
  await desk.batch({ updateProtectedRange: { protectedRange, fields: 'description' } });
  expect((await protections(tab))[0].description).toBe('Mine');
  await desk.batch({ deleteProtectedRange: { protectedRangeId } });
  expect(await protections(tab)).toEqual([]);
  expect((await desk.batch({ deleteProtectedRange: { protectedRangeId } })).status).toBe(400);
});

needing('people', '[protection.10] a protected tab has an open corner', async (stage) => {
  const tab = await stage.tab();
  const protectedRange = {
    range: { sheetId: tab.sheetId },
    unprotectedRanges: [tab.grid([0, 5], [2, 3])],
  };
  await stage.people('sheets/request', { request: { addProtectedRange: { protectedRange } } });
  expect((await tab.write('A1', [['x']])).status).toBe(400);
  expect((await tab.write('C1', [['x']])).status).toBe(200);
  expect((await tab.write('C5', [['x'], ['y']])).status).toBe(400);
});

needing('guess', '[protection.11] no row comes into a protected range', async (stage) => {
  const tab = await guarded(stage);
  const insert = { insertDimension: { range: tab.span('ROWS', 1, 2), inheritFromBefore: true } };
  expect((await stage.batch(insert)).status).toBe(400);
});
