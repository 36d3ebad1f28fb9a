import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'
import { createUser, hashPassword } from '../../auth/index.ts'

const PASSWORD = 'a long and rare passphrase'

let backend: TestBackend
let shop: TestOrganization
let client: PoolClient
beforeAll(async () => {
  backend = await startTestBackend()
  client = await backend.pool.pg.connect()
})
afterAll(async () => {
  client.release()
  await backend.close()
})

/** Resolves when so many statements of this database wait for a lock. */
const whenWaiting = (count: number) =>
  vi.waitFor(
    async () => {
      const { rows } = await backend.pool.pg.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rows).toHaveLength(count)
    },
    { interval: 10, timeout: 20_000 },
  )

const invite = (as: Credentials, email: string) =>
  backend.call('POST', `/v1/organizations/${shop.id}/members/invite`, { as, body: { email, role: 'viewer' } })

describe('a request that meets another one', () => {
  it('is a 404 when its organization is deleted under its feet', async () => {
    shop = await backend.organization('Shop')
    const as = await backend.apiKey(shop, 'admin')
    await client.query('begin')
    await client.query('delete from organization where number = $1', [shop.number])
    const invited = invite(as, 'a@example.com')
    await whenWaiting(1)
    await client.query('commit')
    expect((await invited).status).toBe(404)
  })

  it('lets a change go first before the organization is deleted', async () => {
    shop = await backend.organization('Shop')
    const as = await backend.member(shop, 'owner')
    await client.query('begin')
    await client.query('select from membership where organization = $1 for update', [shop.number])
    const deleted = backend.call('DELETE', `/v1/organizations/${shop.id}`, { as, body: { name: 'Shop' } })
    await whenWaiting(1)
    // The deletion must not have the organization yet, or both would wait for each other.
    await client.query(`set local lock_timeout = '5s'`)
    const at = new Date(backend.clock.now())
    await client.query(
      `insert into event (organization, id, at, type, details) values ($1, gen_random_uuid(), $2, 'server.online', '{}')`,
      [shop.number, at],
    )
    await client.query('commit')
    expect((await deleted).status).toBe(204)
  })

  it('never signs in with a password that was changed since it was proven', async () => {
    shop = await backend.organization('Shop')
    const { db } = backend.pool
    const userId = await createUser(db, backend.clock, 'known@example.com', await hashPassword(PASSWORD))
    const { body } = await invite(await backend.apiKey(shop, 'admin'), 'known@example.com')
    const token = new URL(body.accept_url).searchParams.get('token')
    const accept = () => backend.call('POST', '/v1/auth/invitations/accept', { body: { token, password: PASSWORD } })
    const otherHash = await hashPassword(`another ${PASSWORD}`)
    await client.query('begin')
    await client.query('select from invitation where organization = $1 for update', [shop.number])
    const accepted = accept()
    await whenWaiting(1)
    await client.query('update app_user set password_hash = $1 where id = $2', [otherHash, userId])
    await client.query('commit')
    expect((await accepted).status).toBe(401)
    expect(await db.selectFrom('membership').select('role').where('user_id', '=', userId).execute()).toEqual([])
    const right = { token, password: `another ${PASSWORD}` }
    expect((await backend.call('POST', '/v1/auth/invitations/accept', { body: right })).status).toBe(200)
  })
})
