import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from './event-frames.ts'
import type { StreamPosition } from './event-stream.ts'
import { type EventHooks, shareEvents } from './shared-events.ts'

type Channel = Parameters<typeof shareEvents>[0]['channel'] & EventTarget

/** A browser: tabs reach each other at once, and one lock goes round. `sent`: all events of the backend, by their number. */
function browser() {
  const channels = new Set<Channel>()
  const waiting: (() => void)[] = []
  const sent: Frame[] = []
  let isHeld = false
  let streams: { hooks: EventHooks; position: StreamPosition }[] = []

  const endOf = async (work: () => Promise<void>) => {
    await work()
    isHeld = false
    waiting.shift()?.()
  }
  const lead = (work: () => Promise<void>, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const begin = () => {
        isHeld = true
        void endOf(work).then(resolve)
      }
      if (!isHeld) return begin()
      waiting.push(begin)
      signal.addEventListener('abort', () => {
        const index = waiting.indexOf(begin)
        if (index < 0) return
        waiting.splice(index, 1)
        resolve()
      })
    })
  const deliver = ({ hooks, position }: (typeof streams)[number], frame: Frame) => {
    position.lastEventId = frame.id
    hooks.onEvent(frame)
  }
  const follow = (hooks: EventHooks, position: StreamPosition, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const stream = { hooks, position }
      if (position.hasConnected && position.lastEventId === undefined)
        hooks.onEvent({ id: undefined, type: 'stream.gap', data: '' })
      position.hasConnected = true
      streams.push(stream)
      hooks.onConnectionChange(true)
      const last = position.lastEventId
      if (last !== undefined) for (const frame of sent.slice(Number(last) + 1)) deliver(stream, frame)
      signal.addEventListener('abort', () => {
        streams = streams.filter((one) => one !== stream)
        hooks.onConnectionChange(false)
        resolve()
      })
    })

  return {
    streams: () => streams.length,
    sends: (type: string) => {
      const frame = { id: String(sent.length), type, data: '' }
      sent.push(frame)
      for (const stream of streams) deliver(stream, frame)
    },
    tab: () => {
      const position: StreamPosition = { lastEventId: undefined, hasConnected: false }
      const seen: string[] = []
      const connections: boolean[] = []
      let ending: AbortController | undefined
      return {
        seen,
        connections,
        show: () => {
          if (ending) return
          ending = new AbortController()
          const channel: Channel = Object.assign(new EventTarget(), {
            postMessage: (data: unknown) => {
              for (const other of channels) if (other !== channel) other.dispatchEvent(new MessageEvent('message', { data }))
            },
          })
          channels.add(channel)
          ending.signal.addEventListener('abort', () => channels.delete(channel))
          const hooks = {
            onEvent: ({ type }: Frame) => void seen.push(type),
            onConnectionChange: (isOpen: boolean) => void connections.push(isOpen),
          }
          void shareEvents({ channel, lead, follow }, position, hooks, ending.signal)
        },
        end: async () => {
          ending?.abort()
          ending = undefined
          await settled()
        },
      }
    },
  }
}

/** After the promises that are due. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the stream that tabs share', () => {
  it('is one, and each tab has all events of it', async () => {
    const { tab, sends, streams } = browser()
    const tabs = [tab(), tab(), tab()]
    for (const { show } of tabs) show()
    sends('a')
    expect([streams(), tabs.map(({ seen }) => seen.join())]).toEqual([1, ['a', 'a', 'a']])
  })

  it('passes to another tab when the one that reads it ends, and what came between is not missed', async () => {
    const { tab, sends, streams } = browser()
    const [one, other, third] = [tab(), tab(), tab()]
    for (const { show } of [one, other, third]) show()
    sends('a')
    await one.end()
    sends('b')
    expect([streams(), one.seen, other.seen, third.seen]).toEqual([1, ['a'], ['a', 'b'], ['a', 'b']])
    // No tab shows that the backend cannot be reached.
    expect([other.connections.includes(false), third.connections.includes(false)]).toEqual([false, false])
  })

  it('reports a gap to a tab that missed something while it was away, and to no other', async () => {
    const { tab, sends } = browser()
    const [one, other] = [tab(), tab()]
    one.show()
    other.show()
    sends('a')
    await other.end()
    other.show()
    expect(other.seen).toEqual(['a'])
    await other.end()
    sends('b')
    other.show()
    sends('c')
    expect(other.seen).toEqual(['a', 'stream.gap', 'c'])
  })

  it('reports to a new tab whether it is connected', async () => {
    const { tab } = browser()
    const [one, other] = [tab(), tab()]
    one.show()
    other.show()
    expect(other.connections.at(-1)).toBe(true)
  })

  it('leaves no event out of any tab that is shown, whatever tabs come and go', async () => {
    const step = fc.tuple(fc.constantFrom('show', 'end', 'send'), fc.nat(2))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { tab, sends, streams } = browser()
        const tabs = [tab(), tab(), tab()]
        const shown = new Set<number>()
        const begun = new Set<number>()
        /** By tab: what came since it was first shown and has not been seen. */
        const missing = tabs.map(() => new Set<string>())
        const expectAll = () => {
          for (const [index, { seen }] of tabs.entries()) {
            if (!shown.has(index)) continue
            for (const type of seen.splice(0)) {
              if (type === 'stream.gap') missing[index]?.clear()
              missing[index]?.delete(type)
            }
            expect([...(missing[index] ?? [])]).toEqual([])
          }
          expect(streams()).toBe(shown.size === 0 ? 0 : 1)
        }
        for (const [number, [what, index]] of steps.entries()) {
          if (what === 'send') {
            for (const each of begun) missing[each]?.add(`event ${number}`)
            sends(`event ${number}`)
          } else if (what === 'show') {
            tabs[index]?.show()
            shown.add(index)
            begun.add(index)
          } else {
            await tabs[index]?.end()
            shown.delete(index)
          }
          expectAll()
        }
      }),
    )
  })
})
