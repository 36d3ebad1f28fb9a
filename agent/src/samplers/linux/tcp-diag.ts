import { loadFfi } from '../../process/ffi.ts'
import { type Clock, yieldToEventLoop } from '../../process/clock.ts'
import { type StateCounts, TCP_STATE } from './tcp-states.ts'

/** Where a size has 64 bits and the lowest byte comes first, as below. */
const ARCHITECTURES = new Set<string>(['x64', 'arm64'])
const AF_NETLINK = 16
const SOCK_DGRAM_CLOEXEC = 0o2_000_002
const NETLINK_SOCK_DIAG = 4
/** The older request: unlike that by family it lists both, in one walk through the kernel's table. */
const TCPDIAG_GETSOCK = 18
const NLM_F_REQUEST_DUMP = 0x301
const NLMSG_ERROR = 2
const NLMSG_DONE = 3
const MSG_DONTWAIT = 0x40
/** A connection that is not accepted yet: listed as SYN_RECV. */
const NEW_SYN_RECV = 12

const REQUEST_BYTES = 76
/** The kernel fills at most this much at once. */
const ANSWER_BYTES = 32_768
/** After this time the event loop gets a turn. */
const SLICE_MS = 1

/** The states that no counter of the kernel shows: a request for the others too would list every connection. */
const LISTED_STATES = Object.values(TCP_STATE).filter((state) => state !== TCP_STATE.established && state !== TCP_STATE.timeWait)
const LISTED_BITS = [...LISTED_STATES, NEW_SYN_RECV].reduce((bits, state) => bits | (1 << state), 0)

export interface SocketLister {
  /** Counts by state without `established` and `timeWait`; undefined if the kernel refuses. */
  count(clock: Clock): Promise<StateCounts | undefined>
}

/**
 * Asks the kernel for sockets by netlink, which takes a thirtieth of reading /proc/net/tcp and tcp6: there each of the two walks
 * through the kernel's whole hash table slowly. Undefined where Node cannot call the C library (node:ffi is experimental), or the
 * kernel has no such interface.
 */
export function openSocketLister(): SocketLister | undefined {
  if (!ARCHITECTURES.has(process.arch)) return undefined
  try {
    const { dlopen, getRawPointer } = loadFfi()
    const { functions } = dlopen(null, {
      socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
      send: { arguments: ['i32', 'pointer', 'u64', 'i32'], return: 'i64' },
      recv: { arguments: ['i32', 'pointer', 'u64', 'i32'], return: 'i64' },
    })
    const socket = functions.socket(AF_NETLINK, SOCK_DGRAM_CLOEXEC, NETLINK_SOCK_DIAG)
    if (socket < 0) return undefined
    // Not of a pool: the addresses must stay.
    const request = Buffer.allocUnsafeSlow(REQUEST_BYTES)
    const answer = Buffer.allocUnsafeSlow(ANSWER_BYTES)
    const [requestAt, answerAt] = [getRawPointer(request), getRawPointer(answer)]
    return createSocketLister(answer, {
      send: (bytes) => {
        bytes.copy(request)
        return Number(functions.send(socket, requestAt, BigInt(REQUEST_BYTES), MSG_DONTWAIT)) === REQUEST_BYTES
      },
      receive: () => Number(functions.recv(socket, answerAt, BigInt(ANSWER_BYTES), MSG_DONTWAIT)),
    })
  } catch {
    return undefined
  }
}

interface Netlink {
  send(request: Buffer): boolean
  /** Fills the answer buffer and returns its length; not positive without an answer. */
  receive(): number
}

export function createSocketLister(answer: Buffer, netlink: Netlink): SocketLister {
  let serial = 0

  /** Adds all sockets; false after a failure. */
  async function addSockets(counts: StateCounts, clock: Clock): Promise<boolean> {
    serial++
    if (!netlink.send(encodeRequest(serial))) return false
    let sliceEndMs = clock.monotonicMs() + SLICE_MS
    for (;;) {
      const length = netlink.receive()
      if (length <= 0) return false
      for (let at = 0; at + 16 <= length; ) {
        const type = answer.readUInt16LE(at + 4)
        const messageBytes = answer.readUInt32LE(at)
        // What an earlier request left has another number.
        if (answer.readUInt32LE(at + 8) === serial) {
          if (type === NLMSG_DONE) return true
          if (type === NLMSG_ERROR) return false
          const state = answer[at + 17] ?? 0
          counts[state] = (counts[state] ?? 0) + 1
        }
        if (messageBytes < 16) return false
        at += (messageBytes + 3) & ~3
      }
      if (clock.monotonicMs() < sliceEndMs) continue
      await yieldToEventLoop()
      sliceEndMs = clock.monotonicMs() + SLICE_MS
    }
  }

  return {
    count: async (clock) => {
      const counts: StateCounts = []
      for (const state of LISTED_STATES) counts[state] = 0
      return (await addSockets(counts, clock)) ? counts : undefined
    },
  }
}

/** A netlink header and an inet_diag_req: any family, any socket id. */
function encodeRequest(serial: number): Buffer {
  const request = Buffer.alloc(REQUEST_BYTES)
  request.writeUInt32LE(REQUEST_BYTES, 0)
  request.writeUInt16LE(TCPDIAG_GETSOCK, 4)
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6)
  request.writeUInt32LE(serial, 8)
  request.writeUInt32LE(LISTED_BITS, 68)
  return request
}
