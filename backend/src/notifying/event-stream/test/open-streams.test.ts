import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import type { Principal } from '../../../access/auth/index.ts'
import { createStreams } from '../stream.ts'
import { openStream } from './open-stream.ts'

const feed = {
  subscribe: async () => () => undefined,
  reauthorize: async () => undefined,
  poll: async () => undefined,
  stop: async () => undefined,
}
const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) }
const backlog = async () => ({ events: [], last_event_id: null, is_complete: true })

function startStreams() {
  const streams = createStreams({ feed, clock })
  const open = (keyId: string, organization: number): Promise<Readable> => {
    const tenant = { number: organization, id: `organization ${organization}` }
    const principal: Principal = {
      kind: 'api_key',
      keyId,
      hash: Buffer.alloc(32),
      tenant,
      scopes: ['read'],
      allowedCidrs: [],
      series: { jobKind: null, dedupLabel: null, dropLabels: [] },
    }
    return streams.open({ principal, backlog })
  }
  const openMany = async (count: number, keyOf: (index: number) => string, organizationOf: (index: number) => number) => {
    const opened: Readable[] = []
    for (let index = 0; index < count; index += 1) opened.push(await open(keyOf(index), organizationOf(index)))
    return opened
  }
  return { open, openMany }
}

describe('the number of open streams', () => {
  it('is at most 20 of one credential, in all its organizations together', async () => {
    const { open, openMany } = startStreams()
    const [first] = await openMany(
      20,
      () => 'greedy',
      (index) => index,
    )
    await expect(open('greedy', 1)).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 10,
      message: 'At most 20 live streams per credential may be open. Close one, or try again in 10 s.',
    })
    await open('other', 1)
    const closed = new Promise((resolve) => first?.once('close', resolve))
    first?.destroy()
    await closed
    await open('greedy', 1)
    await expect(open('greedy', 1)).rejects.toMatchObject({ code: 'rate_limited' })
  })

  it('is at most 200 of one organization', async () => {
    const { open, openMany } = startStreams()
    await openMany(
      200,
      (index) => `key ${index}`,
      () => 1,
    )
    await expect(open('one more', 1)).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'At most 200 live streams per organization may be open. Close one, or try again in 10 s.',
    })
    await open('one more', 2)
  })

  it('is at most 1,000 of one instance', async () => {
    const { open, openMany } = startStreams()
    await openMany(
      1_000,
      (index) => `key ${index}`,
      (index) => index,
    )
    await expect(open('one more', 1_000)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'At most 1000 live streams per instance may be open. Close one, or try again in 10 s.',
    })
  })
})

describe('GET /v1/events as a stream', () => {
  let backend: TestBackend
  beforeAll(async () => {
    backend = await startTestBackend()
  })
  afterAll(() => backend.close())

  it('is a 429 for the 21st stream of a viewer, whose organization is served on', async () => {
    const organization = await backend.organization()
    const viewer = await backend.member(organization, 'viewer')
    const streams = []
    for (let count = 0; count < 20; count += 1) streams.push(await openStream(backend, viewer))
    expect(streams.map(({ response }) => response.status)).toEqual(Array(20).fill(200))
    const refused = await openStream(backend, viewer)
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '10'])
    const figure = (name: string) => refused.response.headers.get(`x-ratelimit-${name}`)
    // Of the limit that refused, not of the requests in this minute.
    expect([figure('limit'), figure('remaining')]).toEqual(['20', '0'])
    expect(Number(figure('reset'))).toBe(Math.ceil(backend.clock.now() / 1000) + 10)
    const owner = await openStream(backend, await backend.member(organization, 'owner'))
    expect(owner.response.status).toBe(200)
    for (const stream of [...streams, refused, owner]) stream.close()
  })
})
