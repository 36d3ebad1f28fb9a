import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../../../test/harness.ts'

const SECOND = 1_000
const COUNT = 12

/** What may become of a push on its way: which samples it holds, and that it comes again. */
const anyJourney = fc.array(fc.uniqueArray(fc.nat(COUNT - 1), { minLength: 1, maxLength: COUNT }), { minLength: 1, maxLength: 6 })

describe('samples that are pushed again', () => {
  let backend: TestBackend
  let organization: TestOrganization
  let viewer: Credentials
  beforeAll(async () => {
    backend = await startTestBackend()
    organization = await backend.organization()
    viewer = await backend.member(organization, 'viewer')
  })
  afterAll(() => backend.close())

  const sampleAt = (at: number, index: number, offset = 0) => ({
    at: new Date(at).toISOString(),
    cpu: { percent: index + offset, cores: 4 },
    disk: { read_iops: index / 3 + offset },
  })
  const push = async (as: Credentials, samples: object[]) => {
    const head = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1' }
    const { status, body } = await backend.call('POST', '/v1/agent/metrics', { as, body: { ...head, samples } })
    expect(status).toBe(202)
    expect(body.accepted + body.duplicates + body.rejected.length).toBe(samples.length)
    return body
  }
  const read = async (id: string) => {
    const url = `/v1/servers/${id}/metrics?period=15m&points=100`
    const { body } = await backend.call('GET', url, { as: viewer })
    return [body.metrics, body.series]
  }

  it('change no answer if they are retried, split differently, reordered, replayed or have other values [PUSH-16, PUSH-17, PUSH-19]', async () => {
    const property = fc.asyncProperty(anyJourney, fc.boolean(), async (journey, isChanged) => {
      const server = await backend.server(organization)
      const now = backend.clock.now()
      const at = (index: number) => now - index * 10 * SECOND
      await push(
        server.as,
        Array.from({ length: COUNT }, (_, index) => sampleAt(at(index), index)),
      )
      const before = await read(server.id)
      for (const indexes of journey) {
        // The millisecond of receipt decides which push was first.
        backend.clock.advance(1)
        await push(
          server.as,
          indexes.map((index) => sampleAt(at(index), index, isChanged ? 7 : 0)),
        )
      }
      backend.clock.advance(-journey.length)
      expect(await read(server.id)).toEqual(before)
    })
    await fc.assert(property, { numRuns: 25 })
  })

  it('are counted as duplicates where the batch is the same, whatever surrounds its samples [PUSH-21, PUSH-23]', async () => {
    const server = await backend.server(organization)
    const samples = [1, 2, 3].map((index) => sampleAt(backend.clock.now() - index * SECOND, index))
    expect(await push(server.as, samples)).toMatchObject({ accepted: 3, duplicates: 0 })
    for (let again = 0; again < 3; again += 1)
      expect(await push(server.as, samples)).toMatchObject({ accepted: 0, duplicates: 3 })
  })
})
