/** Callback requests and their progress, with their events (platform API, Lead states). */
import { toE164OrAsGiven } from '../phone.ts';
import type { LeadRecord } from '../records.ts';
import { assignChanged, type DeskParts } from './desk.ts';

/** Time from queued to in_progress: a fraction of a second. This step sends no event. */
const DIAL_AFTER_MS = 400;

export interface NewLead {
  readonly projectId: string;
  readonly phone: string;
  readonly name: string;
  readonly source: string;
  readonly id?: string | undefined;
}

export interface LeadDeskParts extends DeskParts {
  readonly after: (ms: number, run: () => void) => void;
}

export class LeadDesk {
  readonly #parts: LeadDeskParts;

  constructor(parts: LeadDeskParts) {
    this.#parts = parts;
  }

  /**
   * A request from a number whose first request is still in progress is merged into it: no second lead, no event.
   */
  order(given: NewLead): LeadRecord {
    const { world, press } = this.#parts;
    const phone = toE164OrAsGiven(given.phone);
    for (const lead of world.leads.all()) {
      const isUnderWay = lead.status === 'queued' || lead.status === 'in_progress';
      if (isUnderWay && lead.phone === phone && lead.projectId === given.projectId) return lead;
    }
    const lead = world.leads.add({
      ...world.stamp(given.projectId, given.id),
      phone,
      name: given.name,
      status: 'queued',
      statusReason: null,
      source: given.source,
      call: null,
      rating: null,
      handledAt: null,
    });
    press.announce('lead.created', lead);
    this.#parts.after(DIAL_AFTER_MS, () => {
      if (lead.status === 'queued' && assignChanged<LeadRecord>(lead, { status: 'in_progress' }))
        world.touch(lead);
    });
    return lead;
  }

  change(
    lead: LeadRecord,
    change: Partial<Pick<LeadRecord, 'status' | 'statusReason' | 'call' | 'rating' | 'handledAt'>>,
  ): void {
    if (!assignChanged<LeadRecord>(lead, change)) return;
    this.#parts.world.touch(lead);
    this.#parts.press.announce('lead.updated', lead);
  }
}
