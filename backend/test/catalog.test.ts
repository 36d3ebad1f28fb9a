import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from './harness.ts'

/**
 * The rules by which one schema runs embedded, managed and distributed by organization, held against the catalogue. Not held here:
 * that the ingest is flushed per shard group, which it is not yet; which tables are distributed is in citus.test.ts.
 */

/** People, the installation itself, and what must be unique across organizations: small, and on every node. */
const GLOBAL = new Set(
  'app_user check_progress credential email_verification idempotency_key identity_logout identity_provider identity_request instance invitation_token job_lease known_origin metric_progress organization passkey password_reset password_reset_request ping_token push_subscription rate_limit rate_limit_instance recovery_code region retired_token security_event session session_refresh setting status_page_address unconfirmed_mail used_passkey_challenge user_identity user_totp work_share'.split(
    ' ',
  ),
)
/** What any instance takes from in an order of its own: plain tables on the primary. */
const QUEUES = new Set([
  'mail_outbox',
  'metric_late',
  'check_hour_stale',
  'check_worker',
  'alert_signal',
  'notification_delivery',
  'push_delivery',
  'subscriber_mail',
  'subscriber_push',
  'subscriber_webhook',
])

const OWN = `nspname = 'public' and not t.relispartition and t.relname not like 'kysely%'`

/** Each gives a line for what breaks the rule. */
const RULES: Record<string, string> = {
  'a tenant table has the organization, never null': `
    select t.relname || ' has no organization' as fault, t.relname as name from pg_class as t join pg_namespace as n on n.oid = relnamespace
    where ${OWN} and relkind in ('r', 'p')
      and not exists (select from pg_attribute where attrelid = t.oid and attname = 'organization' and attnotnull)`,
  'the organization stands first in every key': `
    select t.relname || ': ' || c.relname || ' begins with ' || coalesce(attname, 'an expression') as fault, t.relname as name
    from pg_index as i join pg_class as c on c.oid = indexrelid join pg_class as t on t.oid = indrelid
    join pg_namespace as n on n.oid = t.relnamespace
    left join pg_attribute as a on a.attrelid = t.oid and a.attnum = indkey[0]
    where ${OWN} and indisunique and attname is distinct from 'organization'`,
  'every table has a key': `
    select t.relname || ' has no primary key' as fault, t.relname as name from pg_class as t join pg_namespace as n on n.oid = relnamespace
    where ${OWN} and relkind in ('r', 'p') and not exists (select from pg_index where indrelid = t.oid and indisprimary)`,
}

/** The same, of every table. */
const STRICT: Record<string, string> = {
  // What is computed of its own row alone is the same on every node.
  'ids and times come from the application': `
    select t.relname || '.' || attname || ' is made by ' || pg_get_expr(adbin, adrelid) as fault
    from pg_attrdef as d join pg_class as t on t.oid = adrelid join pg_namespace as n on n.oid = relnamespace
    join pg_attribute as a on a.attrelid = t.oid and a.attnum = d.adnum
    where ${OWN} and pg_get_expr(adbin, adrelid) ~ '\\(' and attgenerated = ''`,
  'foreign keys lead to a global table, or stay inside of one organization': `
    select t.relname || ': ' || pg_get_constraintdef(k.oid) as fault
    from pg_constraint as k join pg_class as t on t.oid = conrelid join pg_namespace as n on n.oid = t.relnamespace
    join pg_class as target on target.oid = confrelid
    where ${OWN} and contype = 'f' and not target.relname = any ($1)
      and pg_get_constraintdef(k.oid) !~ '^FOREIGN KEY \\(organization, .*REFERENCES \\w+\\(organization, '`,
  'what is partitioned is so by a range of time': `
    select t.relname || ' is partitioned by ' || pg_get_partkeydef(t.oid) as fault
    from pg_class as t join pg_namespace as n on n.oid = relnamespace
    where ${OWN} and relkind = 'p' and pg_get_partkeydef(t.oid) !~ '^RANGE \\((day|at|received_day)\\)$'`,
  'there are no triggers': `
    select t.relname || ': ' || tgname as fault from pg_trigger join pg_class as t on t.oid = tgrelid
    join pg_namespace as n on n.oid = relnamespace where ${OWN} and not tgisinternal`,
  'there are no rules': `
    select t.relname || ': ' || rulename as fault from pg_rewrite join pg_class as t on t.oid = ev_class
    join pg_namespace as n on n.oid = relnamespace where ${OWN} and relkind in ('r', 'p')`,
  'no constraint excludes or waits': `
    select t.relname || ': ' || conname as fault from pg_constraint join pg_class as t on t.oid = conrelid
    join pg_namespace as n on n.oid = t.relnamespace where ${OWN} and (contype = 'x' or condeferrable)`,
  'queues and global tables are plain': `
    select t.relname || ' is partitioned' as fault from pg_class as t join pg_namespace as n on n.oid = relnamespace
    where ${OWN} and relkind = 'p' and t.relname = any ($1)`,
  'no extension is needed': `select extname || ' is installed' as fault from pg_extension where extname <> 'plpgsql'`,
}

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())

async function faultsOf(client: pg.ClientBase | pg.Pool = backend.pool.pg): Promise<string[]> {
  const faults: string[] = []
  const exempt = [...GLOBAL, ...QUEUES]
  for (const text of Object.values(RULES)) {
    const { rows } = await client.query<{ fault: string; name: string }>(text)
    faults.push(...rows.filter(({ name }) => !exempt.includes(name)).map(({ fault }) => fault))
  }
  for (const text of Object.values(STRICT)) {
    const { rows } = await client.query<{ fault: string }>(text, text.includes('$1') ? [exempt] : [])
    faults.push(...rows.map(({ fault }) => fault))
  }
  return faults
}

/** What is found once the statement is done, which is then undone. */
async function faultsWith(statement: string): Promise<string[]> {
  const client = await backend.pool.pg.connect()
  try {
    await client.query('begin')
    await client.query(statement)
    return await faultsOf(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

describe('the schema', () => {
  it('keeps the rules that let it be distributed by organization', async () => {
    expect(await faultsOf()).toEqual([])
  })

  it('has every table that is exempt', async () => {
    const { rows } = await backend.pool.pg.query<{ relname: string }>(
      `select relname from pg_class as t join pg_namespace as n on n.oid = relnamespace where ${OWN} and relkind in ('r', 'p')`,
    )
    const names = new Set(rows.map(({ relname }) => relname))
    expect([...GLOBAL, ...QUEUES].filter((name) => !names.has(name))).toEqual([])
  })

  it.each([
    ['create table planted (id uuid primary key)', 'planted has no organization'],
    ['create table planted (organization int not null, id uuid primary key)', 'planted: planted_pkey begins with id'],
    ['create table planted (organization int not null, id uuid)', 'planted has no primary key'],
    ['create unique index planted on server (machine_id)', 'server: planted begins with machine_id'],
    ['create unique index planted on server (lower(machine_id))', 'server: planted begins with an expression'],
    ['alter table server alter column registered_at set default now()', 'server.registered_at is made by now()'],
    [
      'alter table server add unique (number); alter table metric_late add foreign key (server) references server (number)',
      'metric_late: FOREIGN KEY (server) REFERENCES server(number)',
    ],
    [
      'create function f() returns trigger language plpgsql as $$ begin return new; end $$; create trigger planted before insert on event for each row execute function f()',
      'event: planted',
    ],
    ['create rule planted as on delete to event do instead nothing', 'event: planted'],
    ['alter table event add constraint planted unique (organization, type) deferrable', 'event: planted'],
    [
      'create table planted (organization int not null, id int not null, primary key (organization, id)) partition by hash (organization)',
      'planted is partitioned by HASH (organization)',
    ],
  ])('%s is seen', async (statement, fault) => expect(await faultsWith(statement)).toContain(fault))

  it('a foreign key inside of one organization is none', async () => {
    const key = 'foreign key (organization, subject_id) references server (organization, id)'
    expect(await faultsWith(`alter table event add ${key}`)).toEqual([])
  })
})

describe('statements', () => {
  const root = join(import.meta.dirname, '../src')
  const sources = globSync('**/*.ts', { cwd: root })
    .filter((path) => !/\.test\.ts$|\/test\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const withText = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

  it('get their times as parameters', () => {
    const sqlClockFiles = withText(/[^.\w](?:now\(\)|current_timestamp|localtimestamp|clock_timestamp)/i)
    // The minutes of rate limits are those of the database's clock, which is the same for all instances. The doctor compares clocks.
    expect(sqlClockFiles.filter((path) => /(?:^|[/-])store\.ts$/.test(path)).sort()).toEqual([
      'operating/doctor/store.ts',
      'platform/limits/store.ts',
    ])
  })

  it('lock by advisory locks that end with the transaction', () => {
    expect(withText(/pg_(?:try_)?advisory_lock/)).toEqual([])
    expect(withText(/pg_(?:try_)?advisory_xact_lock/).length).toBeGreaterThan(3)
  })
})
