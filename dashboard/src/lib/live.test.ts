import { describe, expect, it } from 'vitest'
import { follow, type LiveDeps, type Place } from './live.ts'

type Answer = { text: string; lasts?: number } | { status: number; retryAfter?: string } | 'no answer'

/** Follows a stream whose connections go as given, one after the other; ends with them. */
async function run(answers: Answer[], place: Place = { id: undefined, hasListened: false }) {
  const ending = new AbortController()
  const asked: (string | undefined)[] = []
  const heard: string[] = []
  const waited: number[] = []
  let refusals = 0
  let clock = 0
  let lasts = 0
  const deps: LiveDeps = {
    open: async (lastEventId) => {
      const answer = answers[asked.length]
      asked.push(lastEventId)
      if (asked.length === answers.length) ending.abort()
      if (answer === undefined || answer === 'no answer') throw new TypeError('failed to fetch')
      if ('text' in answer) {
        lasts = answer.lasts ?? 0
        return new Response(answer.text)
      }
      return new Response('', { status: answer.status, headers: answer.retryAfter ? { 'retry-after': answer.retryAfter } : {} })
    },
    hear: ({ type }) => heard.push(type),
    tell: () => undefined,
    refused: () => {
      refusals += 1
    },
    sleep: async (ms) => {
      waited.push(ms)
    },
    random: () => 0.5,
    // Looked at before a stream and after it.
    now: () => {
      clock += lasts
      return clock
    },
  }
  await follow(deps, place, ending.signal)
  return { asked, heard, waited, refusals, place }
}

const EVENT = 'id: evt_7\nevent: monitor.down\ndata: {}\n\n'
const END = { status: 500 }

describe('the stream of events', () => {
  it('goes on behind the last event that was heard', async () => {
    const { asked, heard } = await run([{ text: EVENT }, { text: '' }, END])
    expect([asked, heard]).toEqual([[undefined, 'evt_7', 'evt_7'], ['monitor.down']])
  })

  it('reads anew what is shown, where nobody can say what was missed', async () => {
    const { heard } = await run([{ text: ': nothing yet\n\n' }, { text: '' }, END])
    expect(heard).toEqual(['stream.gap'])
  })

  it('waits longer and longer for what does not come back, and not before it is asked to', async () => {
    const { waited } = await run(['no answer', END, END, { status: 429, retryAfter: '55' }, END, END, END, END])
    expect(waited).toEqual([1_000, 2_000, 4_000, 55_000, 16_000, 30_000, 30_000])
  })

  it('begins with the shortest wait after each time that it worked for a while', async () => {
    const { waited } = await run([END, END, { text: EVENT, lasts: 10_000 }, END, END])
    expect(waited).toEqual([1_000, 2_000, 1_000, 2_000])
  })

  it('does not hurry to what is cut off at once', async () => {
    const { waited } = await run([{ text: EVENT }, { text: EVENT }, { text: EVENT }, END])
    expect(waited).toEqual([1_000, 2_000, 4_000])
  })

  it('says that who listens is not let in', async () => {
    expect((await run([{ status: 401 }, END])).refusals).toBe(1)
  })
})
