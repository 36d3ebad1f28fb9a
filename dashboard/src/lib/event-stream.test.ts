import { describe, expect, it } from 'vitest'
import { followEvents, type EventStreamDeps, type StreamPosition } from './event-stream.ts'

type Answer = { text: string; lasts?: number } | { status: number; retryAfter?: string } | 'no answer'

/** Follows a stream whose connections get these answers in turn, and ends with the last one. */
async function run(answers: Answer[], position: StreamPosition = { lastEventId: undefined, hasConnected: false }) {
  const ending = new AbortController()
  const requested: (string | undefined)[] = []
  const events: string[] = []
  const waited: number[] = []
  let refusals = 0
  let clock = 0
  let lasts = 0
  const deps: EventStreamDeps = {
    open: async (lastEventId) => {
      const answer = answers[requested.length]
      requested.push(lastEventId)
      if (requested.length === answers.length) ending.abort()
      if (answer === undefined || answer === 'no answer') throw new TypeError('failed to fetch')
      if ('text' in answer) {
        lasts = answer.lasts ?? 0
        return new Response(answer.text)
      }
      return new Response('', { status: answer.status, headers: answer.retryAfter ? { 'retry-after': answer.retryAfter } : {} })
    },
    onEvent: ({ type }) => events.push(type),
    onConnectionChange: () => undefined,
    onUnauthorized: () => {
      refusals += 1
    },
    sleep: async (ms) => {
      waited.push(ms)
    },
    random: () => 0.5,
    // Read before and after each stream.
    now: () => {
      clock += lasts
      return clock
    },
  }
  await followEvents(deps, position, ending.signal)
  return { requested, events, waited, refusals, position }
}

const EVENT = 'id: evt_7\nevent: monitor.down\ndata: {}\n\n'
const END = { status: 500 }

describe('the event stream', () => {
  it('continues after the last event that arrived', async () => {
    const { requested, events } = await run([{ text: EVENT }, { text: '' }, END])
    expect([requested, events]).toEqual([[undefined, 'evt_7', 'evt_7'], ['monitor.down']])
  })

  it('reports a gap after a reconnect without a known last event', async () => {
    const { events } = await run([{ text: ': nothing yet\n\n' }, { text: '' }, END])
    expect(events).toEqual(['stream.gap'])
  })

  it('waits longer after each failed connection, and at least as long as Retry-After says', async () => {
    const { waited } = await run(['no answer', END, END, { status: 429, retryAfter: '55' }, END, END, END, END])
    expect(waited).toEqual([1_000, 2_000, 4_000, 55_000, 16_000, 30_000, 30_000])
  })

  it('starts again with the shortest wait after a connection that lasted', async () => {
    const { waited } = await run([END, END, { text: EVENT, lasts: 10_000 }, END, END])
    expect(waited).toEqual([1_000, 2_000, 1_000, 2_000])
  })

  it('waits longer after each connection that breaks off immediately', async () => {
    const { waited } = await run([{ text: EVENT }, { text: EVENT }, { text: EVENT }, END])
    expect(waited).toEqual([1_000, 2_000, 4_000])
  })

  it('reports a rejected session', async () => {
    expect((await run([{ status: 401 }, END])).refusals).toBe(1)
  })
})
