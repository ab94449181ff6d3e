import { ReplyError } from 'ioredis';

export interface RedisRefusal {
  /** What Redis answered, without the arguments that it may repeat. */
  readonly answer: string;
  readonly advice: string;
  /** This user may not run the command or use its keys, or this Redis does not have the command. */
  readonly isForbidden: boolean;
}

/** Longest answer that is repeated; Redis' own are shorter. */
const ANSWER_CHARS_MAX = 160;

/** Undefined when Redis has not answered at all. */
export function redisRefusalOf(error: unknown): RedisRefusal | undefined {
  if (!(error instanceof ReplyError)) return undefined;
  const { message } = error as Error;
  const [whole = ''] = message.split(/,? with args beginning with| script: /);
  const answer = whole.slice(0, ANSWER_CHARS_MAX).trim();
  const isForbidden = FORBIDDEN.test(answer);
  const [word = ''] = answer.split(' ');
  return {
    answer,
    isForbidden,
    advice: isForbidden ? `${RIGHTS_ADVICE} ${WHICH_RIGHTS}` : (ADVICE[word] ?? OTHER_ADVICE),
  };
}

/** Answers of Redis 6.2, 7 and Valkey to a command itself, and to one that a script runs. */
const FORBIDDEN =
  /^NOPERM|^EXECABORT Transaction discarded because of: NOPERM|^ERR unknown command|can't run this command|can't access at least one of the keys/;

export const RIGHTS_ADVICE =
  'Give the user of redis.url the rights that docs/operations.md names under Redis.';
const WHICH_RIGHTS = '`slotbridge check --live` lists those that are missing.';
const OTHER_ADVICE = 'See that Redis runs and has memory and disk left.';

/** By the first word of the answer, which is a code. */
const ADVICE: Readonly<Record<string, string>> = {
  OOM: 'Give Redis more memory (maxmemory).',
  MISCONF: 'Make room on the disk of Redis.',
  READONLY: 'Let redis.url name the master.',
  NOREPLICAS: 'Start the replicas of Redis again.',
  LOADING: 'Wait: Redis loads its file.',
  NOAUTH: 'Correct user and password in redis.url.',
  WRONGPASS: 'Correct user and password in redis.url.',
};
