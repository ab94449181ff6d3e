// The stage of the flow control benches: a clinic, its calendars, and a worker at rest that keeps them in step.

import type { GoogleSandboxOptions } from '@slotbridge/sandbox/google/sandbox';
import type { WorkerProcess } from '../../demo/worker-process.ts';
import { type Clinic, calendarMirror, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { type Stage, setStage, type WorkerWish } from '../stand/stage.ts';

export const REST_WITHIN_MS = 600_000;
export const UNLIMITED = 1_000_000;

export interface FlowStage {
  readonly stage: Stage;
  readonly clinic: Clinic;
  readonly worker: WorkerProcess;
  /** Signing secret of the webhook endpoint. */
  readonly secret: string;
  /** Stops the worker and starts one with other settings. */
  restart(change: (wish: WorkerWish) => WorkerWish): Promise<void>;
  /** Starts one more process with the same settings. */
  join(): Promise<void>;
  /** Waits until every delivery is answered and the worker is at rest. */
  rest(): Promise<void>;
}

/** Runs a bench on its own stage and always closes the stage. */
export async function onFlowStage<T>(
  setting: {
    readonly google?: GoogleSandboxOptions;
    readonly people: number;
    /** Absent: no Calendar quota. */
    readonly worker?: Partial<WorkerWish>;
    /** Runs before the worker starts. */
    readonly prepare?: (stage: Stage) => void;
  },
  run: (flow: FlowStage) => Promise<T>,
): Promise<T> {
  const stage = await setStage({
    quotas: { calendarPerMinutePerUser: UNLIMITED, calendarPerMinutePerProject: UNLIMITED },
    ...setting.google,
  });
  try {
    const clinic = await openClinic(stage.google, setting.people);
    stage.push(() => clinic.platform.close());
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    setting.prepare?.(stage);
    const wish: WorkerWish = {
      ...{ platformUrl: clinic.platform.url, apiKey: clinic.apiKey, secret },
      mirrors: calendarMirror(clinic.people),
      ...(setting.worker ?? { calendarPerMinute: UNLIMITED }),
    };
    let worker = await stage.startWorker(wish);
    const rest = async (): Promise<void> => {
      await clinic.platform.whenDeliveriesSettle(REST_WITHIN_MS);
      await untilAtRest(worker, { withinMs: REST_WITHIN_MS });
    };
    const restart = async (change: (wish: WorkerWish) => WorkerWish): Promise<void> => {
      await worker.stop();
      worker = await stage.startWorker(change(wish));
    };
    const join = async (): Promise<void> => void (await stage.startAnother(wish));
    await rest();
    return await run({ stage, clinic, worker, secret, rest, restart, join });
  } finally {
    await stage.close();
  }
}
