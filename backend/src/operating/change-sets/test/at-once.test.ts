import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { roundsOf } from '../../../../../scripts/test-rounds.ts'
import { type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'

let backends: [TestBackend, TestBackend]
let as: Credentials
beforeAll(async () => {
  const first = await startTestBackend()
  backends = [first, await startTestBackend({ databaseUrl: first.databaseUrl, clock: first.clock })]
  as = await first.member(await first.organization(), 'owner')
})
afterAll(async () => {
  for (const backend of backends.toReversed()) await backend.close()
})

const monitor = (ref: string, interval: number) => ({
  kind: 'monitor',
  ref,
  spec: { name: ref, url: 'https://shop.example.com', interval },
})
const propose = async (resources: object[]): Promise<string> => {
  const { status, body } = await backends[0].call('POST', '/v1/change-sets', { as, body: { owner: 'git:infra', resources } })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const apply = (backend: TestBackend, id: string) => backend.call('POST', `/v1/change-sets/${id}/apply`, { as })
/** The first request after its session was ended may meet that. */
const read = (path: string) =>
  vi.waitFor(async () => {
    const { status, body } = await backends[0].call('GET', path, { as })
    expect(status).toBe(200)
    return body
  })

describe('two applies at once on two instances', () => {
  it('of the same resource: one wins, the other names what has changed', async () => {
    await apply(backends[0], await propose([monitor('shop', 60)]))
    const [one, other] = [await propose([monitor('shop', 30)]), await propose([monitor('shop', 300)])]
    const answers = await Promise.all([apply(backends[0], one), apply(backends[1], other)])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const refused = answers.find(({ status }) => status === 409)?.body.error
    expect(refused.details).toEqual([
      { path: expect.stringMatching(/^mon_/), message: expect.stringMatching(/^shop was changed by /) },
    ])
  })

  it('of one change set: it is applied once', async () => {
    const id = await propose([monitor('once', 60)])
    const answers = await Promise.all(backends.map((backend) => apply(backend, id)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    const made = (await read('/v1/monitors?limit=100')).monitors.filter(({ name }: { name: string }) => name === 'once')
    expect(made).toHaveLength(1)
  })
})

it('all or nothing is there where its sessions are ended in the midst, and the audit says the same', {
  timeout: 300_000,
}, async () => {
  const outcomes = new Set<string>()
  for (let round = 0; round < Math.max(3, roundsOf(100)); round += 1) {
    const names = Array.from({ length: 20 }, (_, index) => `r${round}-${index}`)
    const id = await propose(names.map((name) => monitor(name, 60)))
    const applying = apply(backends[0], id)
    await pause(Math.random() * 60)
    await backends[1].pool.pg.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await applying
    const { state } = await read(`/v1/change-sets/${id}`)
    const { rows } = await backends[0].pool.pg.query<{ made: string; noted: string }>(
      `select (select count(*) from monitor where name = any($1)) as made,
        (select count(*) from audit_event where action = 'change_set.applied' and details ->> 'create' = '20') as noted`,
      [names],
    )
    outcomes.add(state)
    expect([state, Number(rows[0]?.made)]).toEqual(state === 'applied' ? ['applied', 20] : ['proposed', 0])
    const applied = await read('/v1/change-sets?state=applied&limit=100')
    const sets = applied.change_sets.filter(({ summary }: { summary: { create: number } }) => summary.create === 20)
    expect(sets).toHaveLength(Number(rows[0]?.noted))
  }
  console.log('figure: ended in the midst', [...outcomes].join(' and '))
})
