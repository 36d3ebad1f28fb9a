import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createSecretToken } from '../../backend/src/access/auth/index.ts'
import { encodeBlock } from '../../shared/src/hosts/metrics/block/index.ts'
import { cut, lifeColumns } from '../samples/host-samples.ts'

const AT_ONCE = 5_000

/** So many registered hosts more than are `there`, as their tokens, that have pushed before. By statements: registering each over HTTP would take minutes. */
export async function seedHosts(database: pg.Client, count: number, there = 0): Promise<string[]> {
  const tokens: string[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const hosts = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => ({
      number: there + from + index,
      id: randomUUID(),
      ...createSecretToken('serverToken'),
    }))
    tokens.push(...hosts.map(({ secret }) => secret))
    await database.query(
      `with given as (select * from unnest($1::int[], $2::uuid[], $3::bytea[]) as given (number, id, hash)),
      hosts as (
        insert into server (organization, id, machine_id, token_hash, token_created_at, boot_id, former_boot_ids, hostname, os, kernel,
          arch, agent_version, tags, facts, registered_at)
        select organization.number, given.id, 'fleet ' || given.number, hash, now(), 'b' || given.number, '{}', 'host-' || given.number,
          'Debian GNU/Linux 12', '6.1.0', 'x64', '1.0.0', '{}', '{}', now()
        from given, (select number from organization order by number limit 1) as organization
        returning organization, id, number
      ), names as (
        insert into metric_dimension (organization, server, kind, slot, name, last_day)
        select organization, number, kind, slot, name, current_date - date '1970-01-01' from hosts,
          (values ('mount', 0, '/'), ('mount', 1, '/srv'), ('interface', 0, 'eth0')) as had (kind, slot, name)
      ), states as (
        insert into server_state (organization, server_id, state_at_ms, filesystems, interfaces, host)
        select organization, id, 0, '[]', '[]', '{}' from hosts
      ), newest as (
        insert into server_newest (organization, id, created_at) select organization, id, now() from hosts
      )
      insert into credential (hash, kind, organization, subject_id)
      select hash, 'server_token', organization.number, given.id
      from given, (select number from organization order by number limit 1) as organization`,
      [hosts.map(({ number }) => number), hosts.map(({ id }) => id), hosts.map(({ hash }) => hash)],
    )
  }
  await database.query('analyze server, server_newest, server_state, credential, metric_dimension')
  return tokens
}

const [HOUR_PUSHES, SAMPLES] = [60, 6]

/** Stores the pushes of so many hosts in these hours: one a minute of so many fields, received now. */
export async function seedHours(
  database: pg.Client,
  hosts: number,
  fromMs: number,
  hours: number,
  fieldCount?: number,
): Promise<void> {
  const pushes = hours * HOUR_PUSHES
  const life = lifeColumns(1, 0, pushes * SAMPLES, fieldCount)
  const blocks = Array.from({ length: pushes }, (_, index) =>
    Buffer.from(encodeBlock(cut(life, index * SAMPLES, (index + 1) * SAMPLES))),
  )
  await database.query(
    `insert into metric_push (t0, digest, t_last, received_at, organization, server, received_day, samples, data)
    select first.ms, (random() * 2^62)::int8, first.ms + 50000, first.ms + 51500, host.organization, host.number, $3::date, $4, push.data
    from (select organization, number from server order by number limit $5) as host,
      unnest($1::bytea[]) with ordinality as push (data, minute),
      lateral (select $2::int8 + (push.minute - 1) * 60000 + host.number % 9000 as ms) as first`,
    [blocks, fromMs, new Date().toISOString().slice(0, 10), SAMPLES, hosts],
  )
  await database.query('analyze metric_push')
}
