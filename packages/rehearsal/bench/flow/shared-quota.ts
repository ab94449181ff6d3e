import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { wrongEvents } from '../stand/wrong-events.ts';
import { onFlowStage, UNLIMITED } from './flow-stage.ts';

const PEOPLE = 10;
/** The sandbox's quota. The worker assumes its default of 600, as when others share the quota. */
const PER_MINUTE = 120;
const MINUTE_S = 60;
const LEARNT_AFTER_S = 30;

/**
 * Requirement: at least 90 % of the permitted calls do work; after 30 s at most 5 % of the calls are refused.
 */
export async function sharedQuota(options: BenchOptions): Promise<Figure[]> {
  const changes = options.isQuick ? 20 : 500;
  const seconds = options.isQuick ? 3 : 180;
  const learntAfterS = options.isQuick ? 1 : LEARNT_AFTER_S;
  const told = figuresOf('flow: shared quota');
  const google = {
    quotas: { calendarPerMinutePerUser: UNLIMITED, calendarPerMinutePerProject: UNLIMITED },
  };
  const setting = { google, people: PEOPLE, worker: {} };
  return onFlowStage(setting, async ({ stage, clinic, rest }) => {
    options.say(`shared quota: ${changes} changes wait, ${seconds} s`);
    stage.google.changeQuotas({ calendarPerMinutePerUser: PER_MINUTE });
    stage.google.resetCounts();
    let written = 0;
    stage.google.onEventWrite(() => {
      written += 1;
    });
    const counted = () => ({
      calls: stage.google.stats().calls,
      refused: stage.google.stats().quotaRefusals,
    });
    for (let index = 0; index < changes; index += 1) clinic.book(index);
    await sleep(learntAfterS * 1_000);
    const learnt = counted();
    await sleep((seconds - learntAfterS) * 1_000);
    const end = counted();
    const done = written;
    const permitted = (PER_MINUTE * seconds) / MINUTE_S;
    told.atLeast(0.9, {
      what: `share of the ${permitted} permitted calls that did work, in ${seconds} s`,
      unit: '',
      figure: done / permitted,
      needsFullSize: true,
      note: `Google takes ${PER_MINUTE} calls in any minute, the worker believes in 600, and ${changes} changes wait. ${end.calls} calls, of which ${end.refused} were refused.`,
    });
    told.atMost(0.05, {
      what: `share of the calls that was refused after ${learntAfterS} s`,
      unit: '',
      figure: (end.refused - learnt.refused) / Math.max(1, end.calls - learnt.calls),
      needsFullSize: true,
    });
    stage.google.changeQuotas({ calendarPerMinutePerUser: UNLIMITED });
    await rest();
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: wrongEvents(stage, clinic),
      asked: 'none',
    });
    return told.figures;
  });
}
