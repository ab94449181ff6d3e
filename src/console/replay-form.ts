import type { ResyncRequest } from '../engine/coverage.ts';

const HOUR_MS = 3_600_000;
export const SPANS = {
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '1d': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
} as const;
export const REPLAY_TYPES = ['appointment.*', 'contact.*', 'conversation.*', 'message.*', 'lead.*'] as const;
export const LIST_KINDS = ['appointment', 'contact', 'conversation', 'message'] as const;

export interface ReplayAsked {
  readonly types: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Reads the fields of the first form (a span), or of the page that confirms (two moments). Undefined when they make no sense. */
export function readReplayForm(fields: URLSearchParams, nowMs: number): ReplayAsked | undefined {
  const type = fields.get('type') ?? '';
  const types = REPLAY_TYPES.filter((each) => each === type);
  if (type !== '' && types.length === 0) return undefined;
  const spanMs = SPANS[fields.get('span') as keyof typeof SPANS];
  const fromMs = spanMs === undefined ? Number(fields.get('from') || Number.NaN) : nowMs - spanMs;
  const toMs = spanMs === undefined ? Number(fields.get('to') || Number.NaN) : nowMs;
  const isUsable = [fromMs, toMs].every((ms) => Number.isSafeInteger(ms) && ms >= 0) && fromMs <= toMs;
  return isUsable ? { types, fromMs, toMs } : undefined;
}

/** Days are UTC days, and the last one is included. Undefined when the fields make no sense. */
export function readResyncForm(form: URLSearchParams): ResyncRequest | undefined {
  const named = form.getAll('list');
  const kinds = LIST_KINDS.filter((kind) => named.includes(kind));
  const [fromMs, toMs] = [dayOf(form.get('from')), dayOf(form.get('to'))];
  if (kinds.length === 0 || kinds.length !== new Set(named).size) return undefined;
  if (fromMs === 'unclear' || toMs === 'unclear') return undefined;
  const endMs = toMs === undefined ? undefined : toMs + 24 * HOUR_MS - 1;
  if (fromMs !== undefined && endMs !== undefined && fromMs > endMs) return undefined;
  return {
    kinds,
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(endMs === undefined ? {} : { toMs: endMs }),
    ...(form.get('force') === 'yes' ? { force: true } : {}),
  };
}

function dayOf(text: string | null): number | undefined | 'unclear' {
  if (text === null || text === '') return undefined;
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) ? 'unclear' : ms;
}
