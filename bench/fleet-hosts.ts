import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createSecretToken } from '../backend/src/auth/index.ts'

const AT_ONCE = 5_000

/** So many registered hosts, as their tokens, that have pushed before unless they are new. By statements: registering each over HTTP would take minutes. */
export async function seedHosts(database: pg.Client, count: number, areNew = false): Promise<string[]> {
  const tokens: string[] = []
  for (let from = 0; from < count; from += AT_ONCE) {
    const hosts = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => ({
      number: from + index,
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
        from given, organization
        returning organization, id, number
      ), names as (
        insert into metric_dimension (organization, server, kind, slot, name)
        select organization, number, kind, slot, name from hosts,
          (values ('mount', 0, '/'), ('mount', 1, '/srv'), ('interface', 0, 'eth0')) as had (kind, slot, name)
        where not $4
      ), states as (
        insert into server_state (organization, server_id, last_push_ms, state_at_ms, filesystems, interfaces, processes, host)
        select organization, id, 0, 0, '[]', '[]', '[]', '{}' from hosts
      )
      insert into credential (hash, kind, organization, subject_id)
      select hash, 'server_token', organization.number, given.id from given, organization`,
      [hosts.map(({ number }) => number), hosts.map(({ id }) => id), hosts.map(({ hash }) => hash), areNew],
    )
  }
  await database.query('analyze server, server_state, credential, metric_dimension')
  return tokens
}
