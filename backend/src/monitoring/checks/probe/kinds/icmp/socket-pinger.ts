import type { Socket } from 'node:dgram'
import { yieldToEventLoop } from '../../../../../platform/concurrency/yield-to-event-loop.ts'
import { createEventLoopClock } from '../../../../../platform/time/event-loop-clock.ts'
import { after, type Alarm } from '../../../../../platform/time/monotonic.ts'
import { connectFault } from '../../phases/fault.ts'
import { encodeEcho, isReplyTo, numberOfReply } from './echo.ts'
import { gapMsOf, type Pinger } from './pinger.ts'

/** How long a packet is waited for after the last one was sent; at least two of the longest round trips so far. */
const LOSS_MS = 1_000
/** The check ends itself before its deadline if there was a reply. */
const MARGIN_MS = 50

/** All checks of a family over one socket, however many: a socket for each would cost more than its packets. */
export function createSocketPinger(family: 4 | 6, socket: Socket): Pinger {
  const watch = createEventLoopClock()
  const pending = new Map<number, { request: Buffer; sentUs: number; reply(rttUs: number): void }>()
  let number = 0

  // The requests that wait are lost; so are those of later checks while the error lasts.
  socket.on('error', () => {})
  socket.on('message', (message) => {
    const sent = pending.get(numberOfReply(family, message) ?? -1)
    if (!sent || !isReplyTo(sent.request, message)) return
    // The loopback device replies within the uncertainty of the clock; no round trip takes no time.
    sent.reply(Math.max(1, watch.eventSince(sent.sentUs).atUs - sent.sentUs))
  })

  return {
    start(order, events) {
      const { address, packets, packetBytes, timeoutMs } = order
      const startedUs = watch.nowUs()
      const mine = new Set<number>()
      let [sent, replies, longestUs] = [0, 0, 0]
      let isLate = false
      let alarm: Alarm | undefined
      let isOver = false
      const stop = () => {
        isOver = true
        alarm?.cancel()
        for (const each of mine) pending.delete(each)
      }
      const end = () => {
        if (isOver) return
        stop()
        events.end()
      }
      const remove = (each: number) => {
        mine.delete(each)
        pending.delete(each)
      }
      const waitForLost = () => {
        const leftMs = timeoutMs - (watch.nowUs() - startedUs) / 1_000 - MARGIN_MS
        const waitMs = Math.max(0, Math.min(leftMs, Math.max(LOSS_MS, (2 * longestUs) / 1_000)))
        // Replies that the kernel has already received are read first.
        const conclude = async () => {
          await yieldToEventLoop()
          if (replies > 0) end()
          else isLate = true
        }
        alarm = after(waitMs, () => void conclude(), { isKeptAlive: true })
      }
      const send = () => {
        const index = sent++
        const current = (number = (number + 1) >>> 0)
        const request = encodeEcho(family, current, packetBytes)
        const reply = (rttUs: number) => {
          remove(current)
          replies += 1
          longestUs = Math.max(longestUs, rttUs)
          events.reply(index, rttUs)
          if (replies === packets || isLate) end()
        }
        mine.add(current)
        pending.set(current, { request, sentUs: watch.nowUs(), reply })
        if (sent < packets) alarm = after(gapMsOf(order), send, { isKeptAlive: true })
        else waitForLost()
        // The kernel ignores the port, and Node refuses 0.
        socket.send(request, 1, address, (error) => {
          if (!error || isOver) return
          stop()
          events.fault(connectFault(error, address))
        })
      }
      send()
      return stop
    },
  }
}
