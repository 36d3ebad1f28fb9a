import { truncateText } from '@vedette/shared'
import { type ChildProcess, spawn } from 'node:child_process'
import { after } from '../../../../../platform/time/monotonic.ts'
import { gapMsOf, type Pinger, type PingOrder } from './pinger.ts'

/** Each takes about a megabyte and some milliseconds of CPU. */
const MAX_PROCESSES = 16
const MAX_OUTPUT_LENGTH = 16_384
/** Messages are parsed, so they must be English; nothing else of this process's environment concerns the program. */
/** First line of BusyBox, inetutils and the BSDs; that of iputils has no colon. */
const OTHERS_HEAD = /^PING .*\): \d+ data bytes/
const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' }

/** The program `ping` of the system, which has the privilege: a process for each check. */
export function createSystemPinger(): Pinger {
  let running = 0
  const queue = new Set<() => void>()

  function leave(): void {
    running -= 1
    const [next] = queue
    if (!next) return
    queue.delete(next)
    next()
  }

  return {
    start(order, events) {
      let child: ChildProcess | undefined
      let isOver = false
      const run = () => {
        running += 1
        patience.cancel()
        child = ping(order, leave, {
          reply: (index, rttUs) => !isOver && events.reply(index, rttUs),
          end: () => !isOver && events.end(),
          fault: (message) => !isOver && events.fault({ code: 'internal', message }),
        })
      }
      // Waiting for one of our own processes must not look like a target that does not answer.
      const patience = after(order.timeoutMs / 2, () => {
        queue.delete(run)
        events.fault({ code: 'internal', message: 'the probe has too many ping processes running: see vedette probe check' })
      })
      if (running < MAX_PROCESSES) run()
      else queue.add(run)
      return () => {
        isOver = true
        patience.cancel()
        queue.delete(run)
        child?.kill('SIGKILL')
      }
    },
  }
}

interface Output {
  reply(index: number, rttUs: number): void
  end(): void
  fault(message: string): void
}

function ping(order: PingOrder, exited: () => void, output: Output): ChildProcess {
  const child = spawn('ping', pingArguments(order, process.platform), { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] })
  const seen = new Set<number>()
  // iputils counts from 1, and all others from 0.
  let first = 1
  let [text, errors] = ['', '']
  let isExited = false
  const exit = (finish: () => void) => {
    if (isExited) return
    isExited = true
    exited()
    finish()
  }
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    const lines = (text + part).slice(0, MAX_OUTPUT_LENGTH).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      if (OTHERS_HEAD.test(line)) first = 0
      const reply = parseReply(line)
      const index = reply && reply.sequence - first
      if (index === undefined || index < 0 || index >= order.packets || seen.has(index)) continue
      seen.add(index)
      output.reply(index, reply?.rttUs ?? 0)
    }
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors = truncateText(errors + part, 200)))
  child.on('error', (error) => exit(() => output.fault(`the system's ping cannot run (${error.message})`)))
  child.on('close', (code) =>
    exit(() => {
      if (seen.size > 0) output.end()
      // 1 is: no reply. The timeout ends the check.
      else if (code !== 1 && code !== null) output.fault(`the system's ping failed: ${errors.trim().split('\n')[0] ?? code}`)
    }),
  )
  return child
}

/** Pure. */
export function pingArguments(order: PingOrder, platform: NodeJS.Platform): string[] {
  const { packets, packetBytes, address, family, timeoutMs } = order
  const common = ['-n', '-c', String(packets), '-s', String(packetBytes)]
  if (platform !== 'linux') return [...common, address]
  // 0.2 s is the shortest interval that older versions allow without root.
  const interval = Math.max(0.2, gapMsOf(order) / 1_000).toFixed(1)
  return [...common, '-i', interval, '-W', String(Math.ceil(timeoutMs / 1_000)), `-${family}`, address]
}

/** A line of iputils, BusyBox or BSD that reports a reply. Pure. */
export function parseReply(line: string): { sequence: number; rttUs: number } | undefined {
  const [, sequence, time] = /seq=(\d{1,5})\b.*\btime[=<]([\d.]{1,12}) ?ms/.exec(line.slice(0, 300)) ?? []
  const rttUs = Math.round(Number(time) * 1_000)
  return sequence !== undefined && Number.isFinite(rttUs) ? { sequence: Number(sequence), rttUs } : undefined
}
