import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

/** What a request may wait for the database; the steps here wait longer together. */
const [LIMIT_MS, STEPS] = [1_000, 20]
let backend: TestBackend
let as: Credentials
beforeAll(async () => {
  backend = await startTestBackend({ requestLimitMs: LIMIT_MS })
  as = await backend.member(await backend.organization(), 'owner')
  await backend.pool.pg.query(`
    create function be_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(${(1.3 * LIMIT_MS) / STEPS / 1_000}); return new; end $$;
    create trigger slow before insert or update of deleted_at on schedule for each row execute function be_slow()`)
})
afterAll(() => backend.close())

const post = (path: string, body?: object) => backend.call('POST', `/v1/${path}`, { as, ...(body && { body }) })

it('a change set of many steps is applied and taken back although they wait longer than another request may', async () => {
  const resources = Array.from({ length: STEPS }, (_, index) => ({
    kind: 'schedule',
    ref: `s${index}`,
    spec: { name: `S${index}` },
  }))
  const { body: set } = await post('change-sets', { owner: 'import:opsgenie', resources })
  const applied = await post(`change-sets/${set.id}/apply`)
  expect([applied.status, applied.body.error]).toEqual([200, undefined])
  const undone = await post(`change-sets/${set.id}/undo`, {})
  expect([undone.status, undone.body.error]).toEqual([200, undefined])
})
