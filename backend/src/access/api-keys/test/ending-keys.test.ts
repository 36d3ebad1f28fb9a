import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accountMails } from '../../../../test/account-mail.ts'
import { type Credentials, startTestBackend, TEST_SECRET, type TestBackend } from '../../../../test/harness.ts'
import { createOutbox, mailEncrypter } from '../../../notifying/mail/index.ts'
import { createSecrets } from '../../../platform/crypto/installation-secrets.ts'
import { remindOfEndingKeys } from '../index.ts'

let instances: TestBackend[]
beforeAll(async () => {
  const environment = { VEDETTE_SMTP_URL: 'smtp://127.0.0.1:9' }
  const first = await startTestBackend({ environment })
  instances = [first, await startTestBackend({ environment, databaseUrl: first.databaseUrl, clock: first.clock })]
})
afterAll(async () => {
  for (const backend of instances.toReversed()) await backend.close()
})

it('mails who made a key 7 days and 1 day before it ends, once each over all backends; the owners after they have left', async () => {
  const [backend] = instances as [TestBackend]
  const { clock } = backend
  const organization = await backend.organization('Shop')
  const [boss, maker] = [await backend.member(organization, 'owner'), await backend.member(organization, 'admin')]
  const make = async (as: Credentials, name: string, days: number | null) => {
    const expires_at = days === null ? null : new Date(clock.now() + days * DAY_MS).toISOString()
    return (await backend.call('POST', '/v1/api-keys', { as, body: { name, scopes: ['read'], expires_at } })).body.id as string
  }
  await make(maker, 'forever', null)
  await make(maker, 'of ten days', 10)
  const revoked = await make(maker, 'revoked', 10)
  await backend.call('DELETE', `/v1/api-keys/${revoked}`, { as: boss })
  await make(maker, 'of an hour', 1 / 24)

  const remind = () =>
    Promise.all(
      instances.map(({ pool }) =>
        remindOfEndingKeys({ db: pool.db, clock, outbox: createOutbox(mailEncrypter(createSecrets([TEST_SECRET])), true) }),
      ),
    )
  const subjects = async ({ userId = '' }: Credentials) =>
    (await accountMails(backend, userId)).map(({ subject }) => subject).filter((subject) => subject.startsWith('An API key of'))
  const ofShort = expect.stringMatching(/^An API key of Shop ends at 2026-\d\d-\d\d \d\d:\d\d UTC/)
  const expected = async (makers: number, owners: number) => {
    for (let times = 0; times < 2; times += 1) await remind()
    expect([await subjects(maker), await subjects(boss)]).toEqual([Array(makers).fill(ofShort), Array(owners).fill(ofShort)])
  }

  await expected(1, 0)
  clock.advance(3 * DAY_MS - 1_000)
  await expected(1, 0)
  clock.advance(1_000)
  await expected(2, 0)
  clock.advance(5 * DAY_MS)
  await expected(2, 0)
  await backend.pool.db.deleteFrom('membership').where('user_id', '=', maker.userId).execute()
  clock.advance(DAY_MS)
  await expected(2, 1)
  clock.advance(DAY_MS)
  await expected(2, 1)
})
