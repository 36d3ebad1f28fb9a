import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createSecretToken } from '../../backend/src/access/auth/index.ts'

const AT_ONCE = 5_000

/** So many registered hosts that have pushed before. By statements: registering each over HTTP would take minutes. */
export async function seedHosts(database: pg.Client, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const hosts = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => ({
      number: from + index,
      id: randomUUID(),
      ...createSecretToken('serverToken'),
    }))
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
}
