import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { readTargetPolicy } from '../../../monitoring/checks/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { setupCode } from '../service.ts'

const OWNER = { email: 'first@example.com', password: 'a long and rare passphrase', organization: 'First' }

describe.each([
  [undefined, false],
  [false, false],
  [true, true],
])('the set-up with allow_private_targets %s', (allowed, kept) => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  const setUp = (change: object = {}) => {
    const code = setupCode(createSecrets([TEST_SECRET]))
    return backend.call('POST', '/v1/setup', { body: { ...OWNER, code, allow_private_targets: allowed, ...change } })
  }
  const required = async () => (await backend.call('GET', '/v1/setup')).body

  it('is required until the right code completes it, answers as a login does, and is then a 409 [SETUP-01, SETUP-04, SETUP-05]', async () => {
    expect(await required()).toEqual({ required: true })
    expect((await setUp({ code: 'wrong' })).status).toBe(401)
    expect((await setUp({ password: 'password1234' })).status).toBe(400)
    expect((await setUp({ allow_private_targets: 'yes' })).body.error.details[0].path).toBe('allow_private_targets')
    expect(await required()).toEqual({ required: true })
    const { status, body, headers } = await setUp({ remember: allowed === true })
    expect([status, Object.keys(body).sort()]).toEqual([201, ['expires_at', 'token']])
    expect(/^vedette_refresh=.+HttpOnly/.test(String(headers['set-cookie']))).toBe(allowed === true)
    const as = { authorization: `Bearer ${body.token}` }
    expect((await backend.call('GET', '/v1/organizations', { as })).body.organizations).toMatchObject([
      { name: 'First', role: 'owner' },
    ])
    expect(await required()).toEqual({ required: false })
    const again = await setUp()
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict'])
    const { value } = await backend.pool.db
      .selectFrom('setting')
      .select('value')
      .where('name', '=', 'allow_private_targets')
      .executeTakeFirstOrThrow()
    expect(value).toBe(kept)
    const opened = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
    expect(await readTargetPolicy(backend.pool.db)).toEqual(kept ? opened : [])
  })
})
