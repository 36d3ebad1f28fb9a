import { encodeId, parseId } from '../src/platform/ids.ts'
import { createAlertFixture } from './alert-fixture.ts'
import type { Credentials, TestBackend, TestOrganization } from './harness.ts'

const MONITORS = 300
const DOWN = 9

/**
 * A night in which all of `silent` servers with one tag fall silent at once, and 9 of 300 monitors are down. Returns the incidents of the
 * servers, with the oldest first, and how long they took to open, ms.
 */
export async function createOutage(backend: TestBackend, organization: TestOrganization, as: Credentials, silent: number) {
  const condition = { metric: 'status', operator: 'equals', value: 'offline' }
  const offline = await createAlertFixture(backend, organization, as, { target: { type: 'server' }, condition })
  const create = Array.from({ length: MONITORS }, (_, index) => ({
    name: `monitor ${index}`,
    url: `https://${index}.example.com/`,
  }))
  await offline.call('POST', '/v1/monitors/bulk', { create })
  const servers = await addServers(backend, organization, silent)
  const start = performance.now()
  const ids: string[] = []
  for (const { id, name } of servers)
    ids.push(await offline.open({ target_type: 'server', target_id: id, target_name: name, summary: `${name} is offline` }))
  const openedInMs = performance.now() - start
  const { monitors } = await offline.call('GET', `/v1/monitors?limit=${DOWN}`)
  const down = await createAlertFixture(backend, organization, as)
  for (const { id, name } of monitors)
    await down.open({ target_id: parseId('monitor', id), target_name: name, summary: `${name} is down: no answer` })
  return { ids: ids.map((id) => encodeId('incident', id)), openedInMs }
}

/** Like one that registered. */
async function addServers(backend: TestBackend, organization: TestOrganization, count: number) {
  const { id } = await backend.server(organization)
  const { pg } = backend.pool
  const columns =
    'organization, boot_id, former_boot_ids, os, kernel, arch, agent_version, facts, depends_on, registered_at, token_created_at'
  await pg.query(
    `insert into server (id, machine_id, token_hash, hostname, display_name, tags, ${columns})
     select gen_random_uuid(), 'machine-' || n, sha256(('token-' || n)::bytea), 'web-' || n, 'web-' || n, '{site:berlin}', ${columns}
     from server, generate_series(1, $2) as n where id = $1`,
    [parseId('server', id), count - 1],
  )
  await pg.query(`update server set display_name = 'web-0', tags = '{site:berlin}' where id = $1`, [parseId('server', id)])
  const { rows } = await pg.query<{ id: string; name: string }>(
    'select id, display_name as name from server where organization = $1 order by display_name',
    [organization.number],
  )
  return rows
}
