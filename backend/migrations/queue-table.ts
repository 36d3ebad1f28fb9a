/**
 * A queue (`src/platform/queue`): a job is one row, deleted when it is done. Plain tables on the primary, never distributed.
 * `position` is the order of insertion. `next_attempt_at` lies in the future while a process has leased the job.
 */
export const queueTable = (
  name: string,
  { references = '', hasLanes = false }: { references?: string; hasLanes?: boolean },
): string[] => [
  `create table ${name} (
    id uuid primary key,
    organization integer not null ${references},
    lane text${hasLanes ? ' not null' : ''},
    key text,
    payload jsonb not null,
    position bigint generated always as identity,
    created_at timestamptz not null,
    next_attempt_at timestamptz not null,
    attempts integer not null
  )`,
  `create index ${name}_by_due on ${name} (${hasLanes ? 'organization, lane, ' : ''}next_attempt_at)`,
  `create index ${name}_by_key on ${name} (organization, key, position)`,
]
