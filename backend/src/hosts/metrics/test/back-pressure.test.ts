import { randomUUID } from 'node:crypto'
import { ALL_FIELDS } from '@vedette/shared'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Answer, type Credentials, startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import { OWN_LOCKS } from '../../../../test/database-locks.ts'
import { MAX_QUEUED_BYTES } from '../ingest/ingester.ts'

const SAMPLES = 1_000

let backend: TestBackend
let server: { id: string; as: Credentials }
beforeAll(async () => {
  backend = await startTestBackend()
  server = await backend.server(await backend.organization())
})
afterAll(() => backend.close())

/** Values that do not compress: a push of them is stored as some 150 kB. */
const VALUES = (() => {
  const groups: Record<string, Record<string, number[]>> = {}
  for (const [fieldIndex, { group, name, unit }] of ALL_FIELDS.entries()) {
    const ceiling = unit === 'percent' ? 100 : 1e9
    const column = Array.from({ length: SAMPLES }, (_, index) =>
      Math.floor(((index * 7919 + fieldIndex * 104_729) % 1_009) * (ceiling / 1_009)),
    )
    groups[group] = { ...groups[group], [name]: column }
  }
  return JSON.stringify(groups).slice(1, -1)
})()

/** The push of this number; no two have an instant in common. */
function bodyOf(number: number): string {
  const first = backend.clock.now() - 86_400_000 + number * SAMPLES * 2
  const instants = Array.from({ length: SAMPLES }, (_, index) => first + index * 2)
  const head = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1' }
  return `{${JSON.stringify(head).slice(1, -1)},"columns":{"at_ms":[${instants.join(',')}],${VALUES}}}`
}

const push = (body: string) => backend.call('POST', '/v1/agent/metrics', { as: server.as, body })

async function stored(): Promise<{ samples: number; bytes: number }> {
  const { rows } = await backend.pool.pg.query<{ samples: number; bytes: number }>(
    'select coalesce(sum(samples), 0)::int as samples, coalesce(sum(length(data)), 0)::int as bytes from metric_push',
  )
  return rows[0] as { samples: number; bytes: number }
}

it('while the database stalls, pushes wait up to 64 MB, then agents get Retry-After, and nothing is lost [PUSH-34, PUSH-35]', {
  timeout: 120_000,
}, async () => {
  expect((await push(bodyOf(0))).status).toBe(202)
  const { bytes: pushBytes } = await stored()
  // Half as many again as may wait.
  const bodies = Array.from({ length: Math.ceil((1.5 * MAX_QUEUED_BYTES) / pushBytes) }, (_, index) => bodyOf(index + 1))
  const stalled = await backend.pool.pg.connect()
  await stalled.query('begin')
  await stalled.query('lock table metric_push in access exclusive mode')
  const early: Answer[] = []
  const send = async (body: string) => {
    const answer = await push(body)
    early.push(answer)
    return answer
  }
  const first = send(bodies[0] as string)
  const waiting = `select from ${OWN_LOCKS} where not granted and relation = 'metric_push'::regclass`
  const isStalled = async () => (await backend.pool.pg.query(waiting)).rowCount
  await expect.poll(isStalled, { timeout: 20_000 }).toBe(1)
  const all = [first, ...bodies.slice(1).map(send)]
  const most = Math.floor(MAX_QUEUED_BYTES / pushBytes)
  try {
    await expect.poll(() => early.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(bodies.length - most)
    expect(new Set(early.map(({ status, body }) => `${status} ${body.error.code}`))).toEqual(new Set(['503 unavailable']))
    expect(early.filter(({ headers }) => !(Number(headers['retry-after']) > 0))).toEqual([])
    // What may wait does wait.
    expect(early.length).toBeLessThan(bodies.length - 0.9 * most)
  } finally {
    await stalled.query('rollback')
    stalled.release()
  }
  const answers = await Promise.all(all)
  const taken = answers.filter(({ status }) => status === 202)
  expect(taken.length * pushBytes).toBeLessThanOrEqual(MAX_QUEUED_BYTES)
  expect((await stored()).samples).toBe((1 + taken.length) * SAMPLES)

  // What was refused comes again, and what was taken too: each counts once.
  const outcome = { accepted: 0, duplicates: 0 }
  for (const body of bodies) {
    const answer = await push(body)
    expect(answer.status).toBe(202)
    outcome.accepted += answer.body.accepted
    outcome.duplicates += answer.body.duplicates
  }
  expect(outcome).toEqual({ accepted: (bodies.length - taken.length) * SAMPLES, duplicates: taken.length * SAMPLES })
  expect((await stored()).samples).toBe((1 + bodies.length) * SAMPLES)
})
