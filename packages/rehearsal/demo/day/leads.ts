// What happens to callback requests. One change at a time: `updated_at` cannot order two changes of the same millisecond.
import { type Wire, wireText } from '../judge/company.ts';
import { somePhone } from './attempts.ts';
import type { Talking } from './chats.ts';
import { CUSTOMER_NAMES } from './people.ts';

export function orderCall({ company, platform, random }: Talking): void {
  platform.dashboard.leads.order({
    projectId: company.projectId,
    phone: somePhone(random),
    name: random.pick(CUSTOMER_NAMES),
  });
}

/** Performs a lead's next step: its call, another try, the AI outcome, a rating, a mark. */
export function carryLeadOn(cast: Talking): void {
  const { notebook, platform, random } = cast;
  const lead = notebook.lead();
  if (lead === undefined) return;
  const { leads } = platform.dashboard;
  const id = wireText(lead['id']);
  const status = wireText(lead['status']);
  if (status === 'missed') {
    if (random.next() < 0.5) leads.scheduleRepeat(id);
    else leads.redial(id);
  } else if (status === 'scheduled') leads.redial(id);
  else if (status === 'queued' || status === 'in_progress') call(cast, lead);
  else
    random.pick([
      () => leads.setAiOutcome(id, random.pick(['booked', 'refused', '=1+1'])),
      () => leads.rate(id, 1 + random.below(5)),
      () => leads.handle(id),
    ])();
}

/** The AI outcome may be known before the call ends. */
function call({ platform, random }: Talking, lead: Wire): void {
  const { leads } = platform.dashboard;
  const id = wireText(lead['id']);
  const dice = random.next();
  if (dice < 0.2) leads.setAiOutcome(id, random.pick(['booked', 'call later']));
  else if (dice < 0.7) leads.endCall(id, 'completed', { durationSec: random.below(300) });
  else leads.endCall(id, random.pick(['missed', 'missed', 'cancelled', 'not_called'] as const));
}
