import type { Snapshot } from '../../src/engine/object.ts';
import type { Claim, DeadLetter } from '../../src/engine/work.ts';
import type { ConsoleStand } from './stand.ts';

/** The worker has heard of the object. Resolves with its claim. */
export async function observe(
  { store, clock }: Pick<ConsoleStand, 'store' | 'clock'>,
  kind: 'appointment' | 'contact',
  snapshot: Snapshot,
): Promise<Claim> {
  const key = { kind, id: snapshot.id };
  const seen = { as: 'snapshot', snapshot } as const;
  await store.intake.observe({ key, source: 'webhook', occurredAtMs: clock.now(), seen });
  const claim = await store.work.claim(key);
  if (claim === undefined) throw new Error('not observed');
  return claim;
}

export const VERA = {
  id: '0a7c1b52-9d0f-4a34-8f6e-0d9e5c1f7a11',
  ...{ status: 'confirmed', service_name: 'Haircut', starts_at: '2026-11-23T09:00:00Z' },
  ...{ ends_at: '2026-11-23T09:45:00Z', updated_at: '2026-11-21T14:00:00Z' },
  ...{ customer_name: 'Vera Orlova', customer_phone: '+74950001101', customer_email: 'vera@home.example' },
};

/** The object is given up for this reason. */
export async function giveUp(
  { store, clock }: Pick<ConsoleStand, 'store' | 'clock'>,
  claim: Claim,
  reason: DeadLetter['reasons'][number],
): Promise<void> {
  const { kind, id } = claim.key;
  const letter = { key: `${kind}/${id}`, atMs: clock.now(), attempts: 3, reasons: [reason] };
  await store.work.deadLetter(claim, letter);
}

/** The hidden fields of the one form in the content of a page, without its token. */
export function formFields(page: string): Record<string, string> {
  const content = page.slice(page.indexOf('<main'));
  const inputs = [...content.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  const { form: _, ...fields } = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
  return fields;
}
