/** Callback requests, from the side of the call service and staff. */
import type { Core } from '../core.ts';
import { utc } from '../instant.ts';
import type { LeadRecord } from '../records.ts';
import { demand } from './catalogue.ts';

const FINAL = ['completed', 'cancelled', 'not_called'];

export interface LeadInput {
  projectId: string;
  phone: string;
  name?: string;
  source?: string;
  id?: string;
}

export class LeadBoard {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** A callback request. A repeated one from the same number is merged into the first. Returns the lead's id. */
  order(input: LeadInput): string {
    return this.#core.leads.order({ ...input, name: input.name ?? '', source: input.source ?? 'widget' }).id;
  }

  /** Ends the call. `durationSec` is only for answered calls. */
  endCall(
    id: string,
    outcome: 'completed' | 'missed' | 'cancelled' | 'not_called',
    options: { durationSec?: number; reason?: string } = {},
  ): void {
    const lead = this.#live(id);
    this.#core.leads.change(lead, {
      status: outcome,
      statusReason: options.reason ?? null,
      call:
        outcome === 'cancelled' || outcome === 'not_called' ? null : this.#call(lead, options.durationSec),
    });
  }

  scheduleRepeat(id: string): void {
    this.#fromMissed(id, 'scheduled');
  }

  redial(id: string): void {
    this.#fromMissed(id, 'in_progress');
  }

  /** The outcome of the AI conversation. Its event may overtake the event of the call's end. */
  setAiOutcome(id: string, aiOutcome: string): void {
    const lead = this.#lead(id);
    this.#core.leads.change(lead, { call: { ...lead.call, ai_outcome: aiOutcome } });
  }

  /** May follow a final status, as `handle` may. */
  rate(id: string, rating: number): void {
    this.#core.leads.change(this.#lead(id), { rating });
  }

  handle(id: string): void {
    this.#core.leads.change(this.#lead(id), { handledAt: this.#core.clock.now() });
  }

  /** Without the callback service, the API refuses to order leads: 409 `callback-not-configured`. */
  configureCallback(projectId: string, isOn: boolean): void {
    const project = this.#core.world.projects.get(projectId);
    if (!project) throw new RangeError('no such project');
    project.callbackConfigured = isOn;
  }

  #call(lead: LeadRecord, durationSec: number | undefined): LeadRecord['call'] {
    const now = this.#core.clock.now();
    const isAnswered = durationSec !== undefined;
    const startedAt = utc(now - (durationSec ?? 0) * 1000);
    return {
      started_at: startedAt,
      answered_at: isAnswered ? startedAt : null,
      connected_at: isAnswered ? startedAt : null,
      ended_at: utc(now),
      duration_sec: durationSec ?? 0,
      handled_by: 'team',
      ai_outcome: lead.call?.['ai_outcome'] ?? null,
    };
  }

  #fromMissed(id: string, status: 'scheduled' | 'in_progress'): void {
    const lead = this.#lead(id);
    if (lead.status !== 'missed' && lead.status !== 'scheduled')
      throw new RangeError(`the lead is ${lead.status}`);
    this.#core.leads.change(lead, { status });
  }

  #live(id: string): LeadRecord {
    const lead = this.#lead(id);
    if (FINAL.includes(lead.status)) throw new RangeError(`the lead is ${lead.status}, which is final`);
    return lead;
  }

  #lead(id: string): LeadRecord {
    return demand(this.#core.world.leads, id);
  }
}
