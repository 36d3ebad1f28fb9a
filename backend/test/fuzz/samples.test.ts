import { ALL_FIELDS, type NamedField, UNIT_DECIMALS } from '@vedette/shared'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOSTILE_NUMBERS } from './hostile-input.ts'
import type { PublishedRoute } from './published-routes.ts'
import { pushAt } from './push.ts'
import { createFixture, LIMIT_MS, RUNS, type FuzzFixture } from './fixture.ts'

let world: FuzzFixture
beforeAll(async () => {
  world = await createFixture()
})
afterAll(async () => {
  console.info(`fuzz: ${world.cost.report()}`)
  await world.close()
})

const push = (samples: object[]) => pushAt(world.backend.clock.now(), samples)

describe('what a sample may hold', () => {
  const send = (samples: object[]) => world.backend.call('POST', '/v1/agent/metrics', { as: world.agent.as, body: push(samples) })
  const route = (name: string) => world.routes.find((one) => one.name === name) as PublishedRoute

  it('comes back as it was sent', { timeout: LIMIT_MS }, async () => {
    const property = fc.asyncProperty(sampleOf(exactValue), async (sample) => {
      world.backend.clock.advance(1_000)
      expect((await send([sample])).body).toMatchObject({ accepted: 1, duplicates: 0, rejected: [] })
      const { body } = await world.callRoute(route('GET /v1/servers/{id}'), { as: world.owner, ids: { id: world.agent.id } })
      expect(Date.parse(body.metrics.sampled_at)).toBe(world.backend.clock.now())
      for (const { group, name } of ALL_FIELDS) {
        expect(body.metrics[group]?.[name] ?? null, `${group}.${name}`).toBe(sample[group]?.[name] ?? null)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('is stored or refused, and never spoils a mean', { timeout: LIMIT_MS }, async () => {
    const wild = () => fc.constantFrom(...HOSTILE_NUMBERS, null)
    const property = fc.asyncProperty(fc.array(sampleOf(wild), { minLength: 1, maxLength: 3 }), async (samples) => {
      world.backend.clock.advance(3_000)
      const { status, body } = await send(samples)
      expect(status).toBe(202)
      expect(body.accepted + body.duplicates + body.rejected.length).toBe(samples.length)
      for (const query of ['', 'period=15m&points=1000']) {
        const answer = await world.callRoute(route('GET /v1/servers/{id}/metrics'), {
          as: world.owner,
          ids: { id: world.agent.id },
          query,
        })
        for (const value of numbersIn(answer.body)) expect(value).toBeGreaterThanOrEqual(0)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it.each([
    ['a percentage above 100', { cpu: { percent: 101 } }, false],
    ['a negative percentage', { cpu: { percent: -1 } }, false],
    ['a negative rate', { disk: { read_iops: -1 } }, false],
    ['a number beyond all numbers', { network: { rx_bytes_per_sec: Number.MAX_VALUE } }, false],
    ['more used than there is', { memory: { used_bytes: 2 ** 40, total_bytes: 2 ** 30 } }, true],
    ['a size past 2^32', { memory: { used_bytes: 2 ** 32 + 1 } }, true],
    ['a size of 2^53 - 1', { memory: { used_bytes: Number.MAX_SAFE_INTEGER } }, true],
    ['a size that a number cannot represent exactly', { memory: { used_bytes: 2 ** 53 } }, false],
    ['the year 1970', { at: '1970-01-01T00:00:00.000Z', cpu: { percent: 1 } }, false],
    ['ten years ahead', { at: '2036-11-20T18:00:00.000Z', cpu: { percent: 1 } }, false],
    ['thirty days ago', { at: '2026-10-21T18:00:00.000Z', cpu: { percent: 1 } }, false],
  ])('%s is taken: %#', async (_, sample, isTaken) => {
    world.backend.clock.advance(2_000)
    const { body } = await send([sample, { cpu: { percent: 50 } }])
    expect([body.accepted, body.rejected.length]).toEqual(isTaken ? [2, 0] : [1, 1])
  })

  it('keeps the first sample of an instant when a later push has another one for it', async () => {
    world.backend.clock.advance(1_000)
    await send([{ cpu: { percent: 11 } }])
    // The millisecond of receipt decides which push came first.
    const [first] = push([{}]).samples
    world.backend.clock.advance(1)
    await send([{ ...first, cpu: { percent: 99 } }])
    const { body } = await world.backend.call('GET', `/v1/servers/${world.agent.id}`, { as: world.owner })
    expect(body.metrics.cpu.percent).toBe(11)
  })
})

type Sample = Record<string, Record<string, unknown>>

function sampleOf(value: (field: NamedField) => fc.Arbitrary<unknown>): fc.Arbitrary<Sample> {
  const model = Object.fromEntries(ALL_FIELDS.map((field) => [`${field.group}.${field.name}`, value(field)]))
  return fc.record(model, { requiredKeys: ['cpu.percent'] }).map((values) => {
    const sample: Sample = {}
    for (const [path, value] of Object.entries(values)) {
      const [group = '', name = ''] = path.split('.')
      ;(sample[group] ??= {})[name] = value
    }
    return sample
  })
}

/** A value with no more digits than are kept. */
function exactValue({ unit, whole }: NamedField): fc.Arbitrary<number> {
  const scale = whole ? 1 : 10 ** UNIT_DECIMALS[unit]
  const max = unit === 'percent' ? 100 * scale : 2 ** 42
  return fc.oneof(fc.integer({ min: 0, max }), fc.integer({ min: 0, max: Math.min(max, 1_000) })).map((value) => value / scale)
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}
