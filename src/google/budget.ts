import { setTimeout as sleep } from 'node:timers/promises';
import type { KeySpace } from '../engine/key-space.ts';
import type {
  Admission,
  Budget,
  BudgetRank,
  QuotaLedger,
  QuotaPause,
  QuotaRefusal,
  QuotaState,
  Spending,
} from '../engine/quotas.ts';
import type { RedisClient } from '../engine/redis-client.ts';
import { NamedScript, replyWithin, TimedStore } from '../engine/redis-script.ts';
import type { Clock, Meter } from '../engine/runtime.ts';
import { paused, readQuotaName, spent, spread } from './errors.ts';

// The admitted rate of a budget, in Lua, so that all processes share one step. Decision 0031 gives the reasons for this design.
// The keys: a budget, and one of its targets, or the budget again if there is no target. Both hold the same fields:
//   s<slot>, o<slot>  calls that left in a slot of the last minute and were not refused; those of them that were answered
//   tokens, at        the bucket, and when it was last filled
//   ceiling, ceiling-at   lowest setting that a process used within the last minute, in calls per minute, and when
//   top, drop, worked     the curve along which a lowered rate rises; absent while the whole ceiling is admitted
//   row, row-turn, row-at, row-target, mixed   refusals in a row and whose they are; an answer to a call that left after the first ends it
//   spread-1, spread-2, spread-3, spread-at   the last three targets that were refused
//   until, step, first, stopped-at, stop-turn, probe-at   a stop, and the one call that probes whether it is over
//   turn, lowered-turn, lowered-at, reason, booked-<rank>
//   past, past-slot   of a budget: calls that left within the last minute before this slot, at most
//   targets-until     of a budget: until when one of its targets may have fields; before that moment alone a target's key is read

/** The window over which Google counts. */
const MINUTE_MS = 60_000;
const SLOT_MS = 2_000;
/** Share of a minute's calls that may leave immediately after a quiet time. */
const BURST_SHARE = 0.25;
/** Calls per minute that are always admitted, so that the rate can be learned again. */
const RATE_MIN = 12;
/** Share by which a refusal lowers the rate when the last minute was full. The emptier the minute was, the less. */
const LOWERED_SHARE = 0.3;
/** Share of the calls answered in the last minute that a spent quota leaves. Google allows that many. */
const ANSWERED_SHARE = 0.95;
/** Shortest time between two lowerings of a rate. */
const LOWERED_EVERY_MS = 1_000;
/** Answered work after which a lowered rate is back where Google refused it. */
const REGAINED_MS = 30_000;
/** Smallest share of the ceiling by which a rate rises in the second such time. */
const RAISED_SHARE_MIN = 0.025;
/** Refusals in a row after which the quota counts as spent. An answered call that left after the first refusal ends the row. */
const REFUSED_IN_A_ROW = 8;
/** First stop after a spent quota, its growth factor, and the longest stop. Each stop costs one call. */
const SPENT_STOP_FIRST_MS = 1_000;
const SPENT_STOP_TIMES = 2;
const SPENT_STOP_LONGEST_MS = 5_000;
/** How long the one probing call may be under way before another call may probe. */
const PROBE_MS = 12_000;
/** How soon a caller that waits for the probing call checks again. */
const PROBE_LOOK_MS = 1_000;
/** How long a refusal says something about the next one. */
const EVIDENCE_MS = 60_000;
/** How far ahead refused callers get their moments, one after another. */
const QUEUED_AHEAD_MS_MAX = 60_000;
const FORGOTTEN_MS = 3_600_000;

/** Every script takes these. `now`: empty for the time of Redis. `told`: the ceiling that this process has. */
const TOLD = ['now', 'told'] as const;
const KEYS = ['budget', 'target'] as const;

const TIME = `
now, told = tonumber(now), tonumber(told)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local slot = math.floor(now / ${SLOT_MS})
local function burst(rate) return math.max(1, rate * ${BURST_SHARE}) end
`;

/**
 * Where nothing limits a budget, and a call of this slot has read it whole, eleven fields admit the next one. In any doubt the whole state
 * decides, to the same result.
 */
const AT_ONCE = `
local function admit_at_once()
  local f = redis.call('HMGET', budget, 'past-slot', 'past', 's' .. slot, 'ceiling', 'ceiling-at', 'at', 'tokens', 'turn', 'targets-until', 'until', 'top')
  for nth = 1, 9 do f[nth] = tonumber(f[nth]) end
  local past_slot, past, sent, ceiling, ceiling_at, filled, had, turn, targets_until, stop, top = unpack(f, 1, 11)
  if past_slot ~= slot or not (past and sent and ceiling_at and filled and had and turn and targets_until) then return end
  if stop or top or ceiling ~= told or ceiling_at > now or filled > now or targets_until > now then return end
  local size = burst(told)
  local tokens = math.min(size, had + (now - filled) * told / ${MINUTE_MS})
  local left = math.max(0, math.min(math.ceil(size * kept), math.floor(size) - 1))
  if left + 1 > tokens or past + sent + 1 > told - math.floor(told * kept) then return end
  redis.call('HSET', budget, 'tokens', tokens - 1, 'at', now, 's' .. slot, sent + 1, 'turn', turn + 1, 'ceiling-at', now)
  return { 1, turn + 1, now }
end
local admission = admit_at_once()
if admission then return admission end
`;

const STATE = `
local function open(key)
  local s = { key = key, sent = {}, ok = {}, f = {}, set = {}, gone = {} }
  local known = redis.call('HGETALL', key)
  s.isKnown = #known > 0
  local oldest = math.floor((now - ${MINUTE_MS}) / ${SLOT_MS})
  local share = oldest + 1 - (now - ${MINUTE_MS}) / ${SLOT_MS}
  s.spent, s.answered = 0, 0
  for i = 1, #known, 2 do
    local name, value = known[i], tonumber(known[i + 1]) or known[i + 1]
    -- Half the time of a pattern.
    local kind, at = string.sub(name, 1, 1), tonumber(string.sub(name, 2))
    if not at then
      s.f[name] = value
    else
      if at < oldest or at > slot then
        table.insert(s.gone, name)
      else
        local part = at == oldest and value * share or value
        if kind == 's' then
          s.sent[at] = value
          s.spent = s.spent + part
        else
          s.ok[at] = value
          s.answered = s.answered + part
        end
      end
    end
  end
  return s
end

local function put(s, name, value)
  s.f[name] = value
  s.set[name] = value
end

local function drop(s, ...)
  for _, name in ipairs({ ... }) do
    if s.f[name] ~= nil then
      s.f[name] = nil
      s.set[name] = nil
      table.insert(s.gone, name)
    end
  end
end

-- The clock was set back: nothing may be put off for as long as it was ahead, and nothing is refilled for it.
local function mend(s)
  local f = s.f
  if f.at and f.at > now then put(s, 'at', now) end
  if f['lowered-at'] and f['lowered-at'] > now then put(s, 'lowered-at', 0) end
  if f['ceiling-at'] and f['ceiling-at'] > now then put(s, 'ceiling-at', 0) end
  if f['probe-at'] and f['probe-at'] > now then drop(s, 'probe-at') end
  if f['spread-at'] and f['spread-at'] > now then put(s, 'spread-at', 0) end
  if f['row-at'] and f['row-at'] > now then put(s, 'row-at', 0) end
  if f['stopped-at'] and f['stopped-at'] > now then
    put(s, 'until', now + math.max(0, f['until'] - f['stopped-at']))
    put(s, 'stopped-at', now)
  end
  for _, rank in ipairs({ 'live', 'catch-up', 'list' }) do
    local booked = f['booked-' .. rank]
    if booked and booked > now + ${QUEUED_AHEAD_MS_MAX} then drop(s, 'booked-' .. rank) end
  end
end

local function load(key)
  local s = open(key)
  mend(s)
  s.ceiling = s.f.ceiling or told
  return s
end

-- The lowest setting of those who called within the last minute.
local function lowest(s)
  if not s.f.ceiling or told <= s.f.ceiling or now - s.f['ceiling-at'] > ${MINUTE_MS} then
    put(s, 'ceiling', told)
    put(s, 'ceiling-at', now)
    s.ceiling = told
  end
end

-- Calls per minute that are admitted now.
local function admitted(s)
  local f = s.f
  if not f.top then return s.ceiling end
  local x = f.worked / ${REGAINED_MS} - 1
  return math.min(s.ceiling, math.max(${RATE_MIN}, f.top + f.drop * x * x * x))
end

local function tokens(s)
  local rate = admitted(s)
  local had = s.f.tokens or burst(rate)
  return math.min(burst(rate), had + math.max(0, now - (s.f.at or now)) * rate / ${MINUTE_MS})
end

local function fill(s)
  put(s, 'tokens', tokens(s))
  put(s, 'at', now)
end

local function kept_until(s) return ${FORGOTTEN_MS} + math.max(now, s.f['until'] or 0) end

local function save(s)
  local set = {}
  for name, value in pairs(s.set) do
    table.insert(set, name)
    table.insert(set, value)
  end
  if #s.gone > 0 then redis.call('HDEL', s.key, unpack(s.gone)) end
  if #set > 0 then redis.call('HSET', s.key, unpack(set)) end
  -- A call of this slot has prolonged it within two seconds.
  local has_targets = (s.f['targets-until'] or 0) > now
  if s.sent[slot] and not s.f['until'] and not has_targets then return end
  redis.call('PEXPIRE', s.key, math.ceil(math.max(kept_until(s), s.f['targets-until'] or 0) - now))
end

-- Nil if it has none: nobody refused a call of any target lately.
local function load_target(whole, key)
  -- A budget of an older version does not say it.
  if not whole.f['targets-until'] then put(whole, 'targets-until', whole.isKnown and now + ${FORGOTTEN_MS} or now) end
  if whole.f['targets-until'] <= now then return nil end
  local part = load(key)
  part.ceiling = whole.ceiling
  return part.isKnown and part or nil
end

local function save_target(whole, part)
  put(whole, 'targets-until', math.max(whole.f['targets-until'] or 0, kept_until(part)))
  save(part)
end

local function curve(s, top, low)
  put(s, 'top', top)
  put(s, 'drop', math.max(top - low, s.ceiling * ${RAISED_SHARE_MIN}))
  put(s, 'worked', ${REGAINED_MS} * (1 - ((top - low) / s.f.drop) ^ (1 / 3)))
end
`;

/**
 * `kept`: share kept for higher ranks; `chance`: a random number from 0 to 1.
 * Returns { 1, turn, now } or { 0, wait, which key, 'paused' | 'spent' }.
 */
const SPEND = new NamedScript(
  { keys: KEYS, args: [...TOLD, 'kept', 'rank', 'chance'] },
  `${TIME}
kept, chance = tonumber(kept), tonumber(chance)
${AT_ONCE}${STATE}
-- Milliseconds until a call may leave, and why not now.
local function held(s)
  local f = s.f
  if f['until'] then
    if now < f['until'] then return f['until'] - now, 'paused' end
    if f['probe-at'] and now < f['probe-at'] + ${PROBE_MS} then return ${PROBE_LOOK_MS}, 'paused' end
    s.isProbe = true
    return 0
  end
  local rate = admitted(s)
  local size = burst(rate)
  local left = math.max(0, math.min(math.ceil(size * kept), math.floor(size) - 1))
  local missing = left + 1 - tokens(s)
  local wait = 0
  -- Fractions are added up: a token that lacks the last billionth is one.
  if missing > 1e-9 then wait = math.max(1, math.ceil(missing * ${MINUTE_MS} / rate)) end
  local over = s.spent + 1 - (rate - math.floor(rate * kept))
  if over > 1e-9 and s.spent > 0 then
    for at = slot - ${MINUTE_MS / SLOT_MS}, slot do
      if over <= 1e-9 then break end
      if s.sent[at] then
        over = over - s.sent[at]
        wait = math.max(wait, (at + 1) * ${SLOT_MS} + ${MINUTE_MS} - now)
      end
    end
  end
  return wait, 'spent'
end

local function book(s, wait)
  local name = 'booked-' .. rank
  local at = math.max(now + wait, (s.f[name] or 0) + ${MINUTE_MS} / admitted(s))
  if at - now > ${QUEUED_AHEAD_MS_MAX} then return math.max(wait, ${QUEUED_AHEAD_MS_MAX} * (0.5 + 0.5 * chance)) end
  put(s, name, at)
  return at - now
end

local whole = load(budget)
lowest(whole)
local all = { whole }
if target ~= budget then all[2] = load_target(whole, target) end
for which, s in ipairs(all) do
  local wait, why = held(s)
  if wait > 0 then
    -- Waiting for the call that tries is no place in the line.
    if not (s.f['until'] and now >= s.f['until']) then wait = book(s, wait) end
    if which > 1 then save_target(whole, s) end
    save(whole)
    return { 0, math.ceil(wait), which, why }
  end
end
local turn = (whole.f.turn or 0) + 1
put(whole, 'turn', turn)
for _, s in ipairs(all) do
  if s.isProbe then put(s, 'probe-at', now) end
  put(s, 'tokens', math.max(0, tokens(s) - 1))
  put(s, 'at', now)
  put(s, 's' .. slot, (s.sent[slot] or 0) + 1)
end
local past = 0
for at, count in pairs(whole.sent) do
  if at < slot then past = past + count end
end
put(whole, 'past', past)
put(whole, 'past-slot', slot)
if all[2] then save_target(whole, all[2]) end
save(whole)
return { 1, turn, now }
`,
);

/**
 * `turn` and `at`: when the call left. `first`: milliseconds of the first stop (0: none), `times` its factor, `longest` the longest.
 * Returns { which key was meant, milliseconds left of the stop }.
 */
const REFUSE = new NamedScript(
  {
    keys: KEYS,
    args: [
      ...([...TOLD, 'turn', 'at', 'reason', 'may_mean_target'] as const),
      ...(['first', 'times', 'longest', 'at_once'] as const),
    ],
  },
  `${TIME}${STATE}
turn, first, times, longest = tonumber(turn), tonumber(first), tonumber(times), tonumber(longest)
local left = math.floor(tonumber(at) / ${SLOT_MS})

local function refuse(s)
  -- Google does not count it, and so it takes no place in the minute.
  if s.sent[left] and s.sent[left] > 0 then
    s.sent[left] = s.sent[left] - 1
    s.spent = math.max(0, s.spent - 1)
    put(s, 's' .. left, s.sent[left])
  end
  if now - (s.f['row-at'] or 0) > ${EVIDENCE_MS} then drop(s, 'row', 'row-turn', 'row-target', 'mixed') end
  put(s, 'row', (s.f.row or 0) + 1)
  put(s, 'row-turn', math.min(s.f['row-turn'] or turn, turn))
  put(s, 'row-at', now)
end

-- The emptier the last minute was, the less a refusal says about the rate.
local function fullness(s)
  local share = math.min(1, s.spent / admitted(s))
  return share * share
end

-- Answered calls per minute, while calls left: a minute that began with a burst, or that nobody used, says nothing about a limit.
local function pace(s)
  local slots = 0
  for _ in pairs(s.sent) do slots = slots + 1 end
  return s.answered * ${MINUTE_MS / SLOT_MS} / math.max(1, slots)
end

local function lower(s, last)
  -- What Google does not count is paid back.
  put(s, 'tokens', math.min(burst(admitted(s)), tokens(s) + 1))
  put(s, 'at', now)
  if turn <= (s.f['lowered-turn'] or 0) or now - (s.f['lowered-at'] or 0) < ${LOWERED_EVERY_MS} then return end
  local top = admitted(s)
  local low = math.max(top * (1 - ${LOWERED_SHARE} * fullness(s)), pace(s), ${RATE_MIN})
  fill(s)
  curve(s, top, math.min(top, low))
  put(s, 'tokens', math.min(s.f.tokens, burst(admitted(s))))
  put(s, 'lowered-turn', last)
  put(s, 'lowered-at', now)
end

local function stop(s, last, first, times, longest)
  local f = s.f
  if f['until'] and turn <= (f['stop-turn'] or 0) then
    -- It left before the stop began, and is part of it: the stop is at least as long as its own first one.
    if now + first <= f['until'] then return end
    put(s, 'until', now + first)
    put(s, 'first', first)
    put(s, 'step', 1)
    return
  end
  local step = 1
  if f['until'] and f.first == first then step = f.step + 1 end
  put(s, 'first', first)
  put(s, 'step', step)
  put(s, 'until', math.max(f['until'] or 0, now + math.min(first * times ^ (step - 1), longest)))
  put(s, 'stopped-at', now)
  put(s, 'stop-turn', last)
  drop(s, 'probe-at')
  put(s, 'tokens', 0)
  put(s, 'at', now)
end

-- Several targets in turn are refused: the credential is limited, although calls in between are answered.
local function isSpread(s, target)
  local f = s.f
  if now - (f['spread-at'] or 0) > ${EVIDENCE_MS} then drop(s, 'spread-1', 'spread-2', 'spread-3') end
  put(s, 'spread-at', now)
  for at = 1, 3 do
    if f['spread-' .. at] == target then return false end
  end
  local isFull = f['spread-3'] ~= nil
  for at = 2, 1, -1 do
    if f['spread-' .. at] then put(s, 'spread-' .. at + 1, f['spread-' .. at]) end
  end
  put(s, 'spread-1', target)
  return isFull
end

local whole = load(budget)
-- A call that left before Redis was lost has a turn that the count has not reached yet. Later calls must still count as later.
local last = math.max(whole.f.turn or 0, turn)
put(whole, 'turn', last)
local has_target = target ~= budget
refuse(whole)
if not (has_target and may_mean_target == '1') or (whole.f['row-target'] and whole.f['row-target'] ~= target) then
  put(whole, 'mixed', 1)
elseif has_target then
  put(whole, 'row-target', target)
end
local meant, which = whole, 1
if whole.f.mixed ~= 1 and not isSpread(whole, target) then
  meant, which = load(target), 2
  meant.ceiling = whole.ceiling
  refuse(meant)
end
put(meant, 'reason', reason)
local isSpent = meant.f['until'] or meant.f.row >= ${REFUSED_IN_A_ROW}
if isSpent and not meant.f['until'] then
  -- What was answered in the last minute is what Google allows.
  local top = math.min(admitted(meant), math.max(meant.answered, ${RATE_MIN}))
  curve(meant, top, top * ${ANSWERED_SHARE})
end
if first > 0 and (at_once == '1' or isSpent) then
  stop(meant, last, first, times, longest)
elseif isSpent then
  stop(meant, last, ${SPENT_STOP_FIRST_MS}, ${SPENT_STOP_TIMES}, ${SPENT_STOP_LONGEST_MS})
else
  lower(meant, last)
end
if which > 1 then save_target(whole, meant) end
save(whole)
return { which, math.ceil(math.max(0, (meant.f['until'] or 0) - now)) }
`,
);

/** The items are calls that were answered. `turn` and `at`: when the call left. */
const ANSWER = new NamedScript(
  { keys: ['budget'], args: TOLD, items: { keys: ['target'], args: ['turn', 'at'] } },
  (item) => `${TIME}${STATE}
local function answer(s, turn, left)
  s.ok[left] = (s.ok[left] or 0) + 1
  put(s, 'o' .. left, s.ok[left])
  if s.f.row and turn > s.f['row-turn'] then drop(s, 'row', 'row-turn', 'row-at', 'row-target', 'mixed') end
  if s.f['until'] and turn > s.f['stop-turn'] then
    drop(s, 'until', 'step', 'first', 'stopped-at', 'stop-turn', 'probe-at')
    put(s, 'tokens', 0)
    put(s, 'at', now)
  end
  if not s.f.top then return end
  fill(s)
  put(s, 'worked', s.f.worked + ${MINUTE_MS} / admitted(s))
  if admitted(s) >= s.ceiling then drop(s, 'top', 'drop', 'worked') end
end

local whole = load(budget)
local parts = {}
for nth = 1, items do
${item}
  local left = math.floor(tonumber(at) / ${SLOT_MS})
  answer(whole, tonumber(turn), left)
  if target ~= budget then
    if parts[target] == nil then parts[target] = load_target(whole, target) or false end
    local part = parts[target]
    if part then answer(part, tonumber(turn), left) end
  end
end
if not (whole.f.top or whole.f['until'] or whole.f.row) then drop(whole, 'reason') end
for target, part in pairs(parts) do
  if part and (part.f.top or part.f['until'] or part.f.row) then
    save_target(whole, part)
  elseif part then
    redis.call('DEL', target)
  end
end
save(whole)
`,
);

/** Writes nothing. Returns { spent, admitted, milliseconds left of a stop, reason or '', 1 when limited }. */
const LOOK = new NamedScript(
  { keys: ['quota'], args: TOLD },
  `${TIME}${STATE}
local s = load(quota)
local f = s.f
local limited = (f.top or f['until']) and 1 or 0
return { math.floor(s.spent + 0.5), math.floor(admitted(s)), math.ceil(math.max(0, (f['until'] or 0) - now)), limited == 1 and tostring(f.reason or '') or '', limited }
`,
);

/** Share of the limit that a rank leaves to higher ranks. */
const RESERVED_SHARE: Readonly<Record<BudgetRank, number>> = { live: 0, 'catch-up': 0.1, list: 0.25 };
/** How long a budget is shown after its last use. */
const SHOWN_MS = 3_600_000;
/** How often a process notes that it uses a budget. */
const NOTED_EVERY_MS = 60_000;
/** For a budget without a setting. */
const UNLIMITED = 1_000_000;

interface Limit {
  readonly prefix: string;
  readonly perMinute: number;
}

/**
 * Admits calls at a rate that all processes share and that Google's answers adjust. Each call is one step in Redis, on the clock of Redis.
 * The longest prefix of a name that has a setting gives its ceiling. Without one, only refusals stop the name's calls.
 */
export class RedisBudget extends TimedStore implements Budget, QuotaLedger {
  readonly #storeClock: Clock | undefined;
  readonly #limits: readonly Limit[];
  /** On the monotonic clock of this process. */
  readonly #notedAtMs = new Map<string, number>();
  readonly #answersWithinMs: number;
  /** By budget: answers that leave soon. */
  readonly #answers = new Map<string, { readonly admissions: Admission[]; readonly sent: Promise<void> }>();

  constructor(parts: {
    redis: RedisClient;
    keys: KeySpace;
    clock: Clock;
    /** Prefix of the budget's name to requests per minute. */
    perMinute: Readonly<Record<string, number>>;
    /** Replaces the clock of Redis. */
    storeClock?: Clock;
    /** Answers of so long share a round trip. Default 0: each is told at once. */
    answersWithinMs?: number;
  }) {
    super(parts);
    this.#answersWithinMs = parts.answersWithinMs ?? 0;
    this.#storeClock = parts.storeClock;
    this.#limits = Object.entries(parts.perMinute)
      .sort(([a], [b]) => b.length - a.length)
      .map(([prefix, perMinute]) => ({ prefix, perMinute }));
  }

  async spend(name: string, { rank = 'live', target }: Spending = {}): Promise<Admission> {
    const asked = SPEND.run(this.redis, {
      keys: this.#ratesOf({ budget: name, target }),
      args: { ...this.#rateArgs(name), kept: RESERVED_SHARE[rank], rank, chance: Math.random() },
    });
    const [answer] = await Promise.all([asked, this.#note(name)]);
    const [isAdmitted, first, second, why] = answer as [number, number, number, string];
    if (isAdmitted === 1) return { budget: name, target, turn: first, atMs: second };
    const quota = second === 2 && target !== undefined ? quotaOf(name, target) : name;
    throw why === 'paused' ? paused(quota, first) : spent(quota, first);
  }

  async refused(admission: Admission, refusal: QuotaRefusal): Promise<QuotaPause> {
    const { budget, target, turn, atMs: at } = admission;
    const { reason, mayMeanTarget, stop } = refusal;
    const answer = await REFUSE.run(this.redis, {
      keys: this.#ratesOf(admission),
      args: {
        ...{ ...this.#rateArgs(budget), turn, at, reason, may_mean_target: mayMeanTarget ? 1 : 0 },
        ...{ first: stop?.firstMs ?? 0, times: stop?.times ?? 1, longest: stop?.longestMs ?? 0 },
        at_once: stop?.atOnce ? 1 : 0,
      },
    });
    const [which, waitMs] = answer as [number, number];
    const quota = which === 2 && target !== undefined ? quotaOf(budget, target) : budget;
    if (quota !== budget) await this.#note(quota);
    return { quota, waitMs: waitMs === 0 ? 0 : spread(waitMs) };
  }

  async answered(admission: Admission): Promise<void> {
    const { budget } = admission;
    if (this.#answersWithinMs === 0) return this.#sendAnswers(budget, [admission]);
    const gathered = this.#answers.get(budget);
    if (gathered !== undefined) {
      gathered.admissions.push(admission);
      return gathered.sent;
    }
    const admissions = [admission];
    const sent = sleep(this.#answersWithinMs, undefined, { ref: false }).then(() => {
      this.#answers.delete(budget);
      return this.#sendAnswers(budget, admissions);
    });
    this.#answers.set(budget, { admissions, sent });
    return sent;
  }

  async #sendAnswers(budget: string, admissions: readonly Admission[]): Promise<void> {
    await ANSWER.run(
      this.redis,
      { keys: { budget: this.keys.rate(budget) }, args: this.#rateArgs(budget) },
      admissions.map((each) => ({
        keys: { target: this.#ratesOf(each).target },
        args: { turn: each.turn, at: each.atMs },
      })),
    );
  }

  async waits(key: string, names: readonly string[], untilMs: number): Promise<void> {
    for (const name of new Set(names)) {
      const waiting = this.keys.quotaWaits(name);
      const command = this.redis
        .multi()
        .zremrangebyscore(waiting, '-inf', this.clock.now())
        .zadd(waiting, untilMs, key)
        .pexpire(waiting, SHOWN_MS)
        .zadd(this.keys.quotas, this.clock.now(), name);
      await replyWithin(command.exec());
    }
  }

  async read(): Promise<readonly QuotaState[]> {
    const sinceMs = this.clock.now() - SHOWN_MS;
    const recent = await replyWithin(this.redis.zrangebyscore(this.keys.quotas, sinceMs, '+inf'));
    const states = await Promise.all(recent.sort().map((name) => this.#state(name)));
    return states.filter((state) => state !== undefined);
  }

  async #state(name: string): Promise<QuotaState | undefined> {
    const { budget, target } = readQuotaName(name);
    const limit = this.#limitOf(budget);
    if (limit === undefined) return undefined;
    const [seen, waiting] = await Promise.all([
      // LOOK writes nothing: Redis may be full, and status is needed most then.
      LOOK.run(this.redis, { keys: { quota: this.keys.rate(name) }, args: this.#rateArgs(budget) }),
      replyWithin(this.redis.zcount(this.keys.quotaWaits(name), this.clock.now(), '+inf')),
    ]);
    const [used, admitted, stoppedMs, reason, isLimited] = seen as [number, number, number, string, number];
    // A target matters only while it is limited.
    if (target !== undefined && isLimited === 0 && waiting === 0) return undefined;
    return {
      name: budget,
      target,
      spent: used,
      admitted,
      limit: limit.perMinute,
      pausedUntilMs: stoppedMs === 0 ? undefined : this.clock.now() + stoppedMs,
      reason: reason === '' ? undefined : reason,
      waiting,
    };
  }

  /** Both keys share one slot (`KeySpace`). They are equal without a target. */
  #ratesOf({ budget, target }: Pick<Admission, 'budget' | 'target'>): { budget: string; target: string } {
    const quota = target === undefined ? budget : quotaOf(budget, target);
    return { budget: this.keys.rate(budget), target: this.keys.rate(quota) };
  }

  #rateArgs(budget: string): { now: number | ''; told: number } {
    return { now: this.#storeClock?.now() ?? '', told: this.#limitOf(budget)?.perMinute ?? UNLIMITED };
  }

  async #note(name: string): Promise<void> {
    const notedAtMs = this.#notedAtMs.get(name) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - notedAtMs < NOTED_EVERY_MS) return;
    this.#notedAtMs.set(name, performance.now());
    await replyWithin(this.redis.zadd(this.keys.quotas, this.clock.now(), name));
  }

  #limitOf(name: string): Limit | undefined {
    return this.#limits.find(({ prefix }) => name.startsWith(prefix));
  }
}

/** Counts each admitted call by its rank. */
export function countedBudget(budget: Budget, meter: Meter): Budget {
  return {
    async spend(name, spending) {
      const admission = await budget.spend(name, spending);
      meter.add('slotbridge_google_requests_total', { budget: name, rank: spending?.rank ?? 'live' });
      return admission;
    },
    refused: (admission, refusal) => budget.refused(admission, refusal),
    answered: (admission) => budget.answered(admission),
  };
}

function quotaOf(budget: string, target: string): string {
  return `${budget} ${target}`;
}
