import { type Count, COUNTS, type Counts, type Unit, type UnitCounts, UNITS } from './limits.ts'
import { PREPARING, WORKING } from './marks.ts'

/** One stretch of work of an agent, from a timer of its schedule to the next one. */
export interface Work {
  unit: Unit
  counts: Counts
  collections: number
}

interface Call {
  thread: string
  name: string
  args: string
  /** Absent for a call that had not returned. */
  result: number | undefined
}

const LINE = /^(\d+) +(\w+)\((.*)$/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)$/
const RESULT = /= (-?\d+)(?:[ <].*)?$/

/** The calls of a trace of `strace -f -y`, in the order in which they began. */
export function parseCalls(text: string): Call[] {
  const calls: Call[] = []
  const pending = new Map<string, Call>()
  for (const line of text.split('\n')) {
    const [, thread = '', name = '', args = ''] = LINE.exec(line) ?? RESUMED.exec(line) ?? []
    if (thread === '') continue
    const resumed = line.includes(' resumed>') ? pending.get(thread) : undefined
    const result = RESULT.exec(line)?.[1]
    if (resumed) {
      resumed.args += args
      resumed.result = result === undefined ? undefined : Number(result)
      continue
    }
    const call = { thread, name, args, result: result === undefined ? undefined : Number(result) }
    if (args.endsWith('<unfinished ...>')) pending.set(thread, call)
    calls.push(call)
  }
  return calls
}

const NETWORK = /^(?:socket|connect|sendto|sendmsg|recvfrom|recvmsg|getsockopt|setsockopt|shutdown)$/
const IS_SOCKET = /^\d+<(?:socket|TCP|TCPv6|UDP|UNIX|NETLINK)[:<[]/
const IS_FILE = /^\d+<\//
const LOOKUPS = new Set(['access', 'faccessat2', 'newfstatat', 'statx', 'readlink', 'readlinkat', 'rename', 'unlink'])
/** They wait for and wake other threads, and give memory back: how often depends on the machine. */
const UNSTABLE = new Set([
  'futex',
  'mmap',
  'munmap',
  'mremap',
  'madvise',
  'mprotect',
  'brk',
  'getpid',
  'sched_yield',
  'restart_syscall',
])

/** The counts that a call belongs to, but for `calls` and `threadCalls`. */
function countsOf({ name, args, result = 0 }: Call): Partial<Counts> {
  const isFile = IS_FILE.test(args)
  if (name === 'openat') return { opens: 1 }
  if (NETWORK.test(name) || (IS_SOCKET.test(args) && /^(?:read|write)/.test(name))) return { network: 1 }
  if (/^p?read(?:64|v)?$/.test(name) && isFile) return { reads: 1, bytesRead: Math.max(0, result) }
  if (name === 'getdents64') return { listings: 1 }
  if (LOOKUPS.has(name)) return { lookups: 1 }
  if (/^p?write(?:64|v)?$/.test(name) && isFile) return { writes: 1 }
  if (name === 'fdatasync' || name === 'fsync') return { syncs: 1 }
  // With a time limit of 0 it does not wait.
  if (name === 'epoll_pwait') return { wakeUps: /, 0, NULL, 8\) +=|\], \d+, 0, /.test(args) ? 0 : 1 }
  return {}
}

const noCounts = (): Counts => Object.fromEntries(Object.keys(COUNTS).map((count) => [count, 0])) as Counts

function toWork(calls: readonly Call[], mainThread: string, allocatedBytes: number, collections: number): Work {
  const counts = { ...noCounts(), allocatedBytes }
  for (const call of calls) {
    if (UNSTABLE.has(call.name)) continue
    counts.calls++
    if (call.thread !== mainThread) counts.threadCalls++
    for (const [count, value] of Object.entries(countsOf(call)) as [Count, number][]) counts[count] += value
  }
  const has = (text: string) => calls.some(({ args }) => args.includes(text))
  const unit = has('status.json') ? 'push' : has('/mountinfo') ? 'minute' : 'sample'
  return { unit, counts, collections }
}

/** The works of an agent, in order. */
export function worksOf(text: string): Work[] {
  const works: Work[] = []
  let current: Call[] | undefined
  for (const call of parseCalls(text)) {
    if (call.args.startsWith(`"${WORKING}"`)) current = []
    else if (call.args.startsWith(`"${PREPARING}/`)) {
      const [, allocated, collections] = /\/(-?\d+)\/(\d+)"/.exec(call.args) ?? []
      if (current) works.push(toWork(current, call.thread, Number(allocated), Number(collections)))
      current = undefined
    } else current?.push(call)
  }
  return works
}

const medianOf = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** The median of each count over the works of a unit: one that met another program of the machine does not change it. */
export function mediansOf(works: readonly Work[]): UnitCounts {
  const ofUnit = (unit: Unit) => {
    const own = works.filter((work) => work.unit === unit)
    const counts = (Object.keys(COUNTS) as Count[]).map((count) => [count, medianOf(own.map((work) => work.counts[count]))])
    return [unit, Object.fromEntries(counts)] as const
  }
  return Object.fromEntries((Object.keys(UNITS) as Unit[]).map(ofUnit)) as UnitCounts
}
