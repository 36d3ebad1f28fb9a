import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../test/harness.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { deleteUnconfirmedMails, takeUnconfirmedMail } from './unconfirmed-store.ts'

let backend: TestBackend
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  await backend.pool.db.deleteFrom('unconfirmed_mail').execute()
})

const AT = Date.UTC(2026, 0, 2, 12)
const take = (organization: number, to: string, atMs = AT) =>
  inTransaction(backend.pool.db, (db) => takeUnconfirmedMail(db, organization, to, new Date(atMs)))

describe('mails to addresses that nobody has confirmed', () => {
  it('are three a day and address over all organizations, also when they come at once', async () => {
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, index) => take(901 + (index % 2), index % 3 === 0 ? 'Eve@example.com' : 'eve@example.com')),
    )
    expect(taken.filter(({ outcome }) => outcome === 'taken')).toHaveLength(3)
    expect(taken.filter(({ outcome }) => outcome === 'refused')).toHaveLength(5)
    expect(await take(903, 'eve@example.com')).toEqual({ outcome: 'refused', per: 'address', max: 3, untilMs: AT + DAY_MS })
    expect(await take(903, 'eve@example.com', AT + DAY_MS)).toEqual({ outcome: 'taken' })
  })

  it('are a hundred a day and organization, and other organizations go on', async () => {
    for (let index = 0; index < 100; index += 1) expect((await take(904, `p${index}@example.com`)).outcome).toBe('taken')
    expect(await take(904, 'last@example.com')).toMatchObject({ outcome: 'refused', per: 'organization', max: 100 })
    expect((await take(905, 'last@example.com')).outcome).toBe('taken')
    await deleteUnconfirmedMails(backend.pool.db, AT + DAY_MS)
    expect(await backend.pool.db.selectFrom('unconfirmed_mail').select('id').execute()).toEqual([])
  })
})
