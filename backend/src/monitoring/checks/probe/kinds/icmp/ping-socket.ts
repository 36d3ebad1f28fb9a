import { createSocket, type Socket } from 'node:dgram'
import type FFI from 'node:ffi'
import { fstatSync, readFileSync } from 'node:fs'
import type { InheritedSockets } from '../kind.ts'

/** Of Linux: a datagram socket, closed on exec and non-blocking. */
const DATAGRAM = 0o2_004_002
const FAMILIES = { 4: { domain: 2, protocol: 1 }, 6: { domain: 10, protocol: 58 } } as const
/** Of /proc/net/icmp. */
const INODE_COLUMN = 9
/** A burst of replies waits in the kernel while the thread works. */
const RECEIVE_BUFFER_BYTES = 1_048_576

/**
 * A socket for ICMP echo without any privilege: the kernel lets groups of net.ipv4.ping_group_range open one. Undefined where it is
 * closed, or where Node cannot call the C library (node:ffi is experimental).
 */
export function openPingSocket(family: 4 | 6): Socket | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const { functions } = loadFfi().dlopen(null, {
      socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
      close: { arguments: ['i32'], return: 'i32' },
    })
    const { domain, protocol } = FAMILIES[family]
    const descriptor = functions.socket(domain, DATAGRAM, protocol)
    if (descriptor < 0) return undefined
    try {
      return bindDescriptor(family, descriptor)
    } catch {
      functions.close(descriptor)
      return undefined
    }
  } catch {
    return undefined
  }
}

export const descriptorOf = (family: 4 | 6, { icmpFd, icmp6Fd }: InheritedSockets): number | undefined =>
  family === 4 ? icmpFd : icmp6Fd

/** Undefined without a descriptor, and for one that is no ping socket of the family. It is closed with the thread that opens it. */
export function openInheritedSocket(family: 4 | 6, inherited: InheritedSockets): Socket | undefined {
  const descriptor = descriptorOf(family, inherited)
  if (descriptor === undefined || !isPingSocket(family, descriptor)) return undefined
  try {
    return bindDescriptor(family, descriptor)
  } catch {
    return undefined
  }
}

/**
 * Whether the kernel lists it as a bound ping socket of this network namespace. The number says nothing: once closed, it may be that of
 * any other socket, which would send its datagrams to the targets.
 */
function isPingSocket(family: 4 | 6, descriptor: number): boolean {
  try {
    const inode = String(fstatSync(descriptor).ino)
    const lines = readFileSync(`/proc/self/net/${family === 4 ? 'icmp' : 'icmp6'}`, 'latin1').split('\n')
    return lines.some((line) => line.trim().split(/\s+/)[INODE_COLUMN] === inode)
  } catch {
    return false
  }
}

function bindDescriptor(family: 4 | 6, fd: number): Socket {
  const socket = createSocket({
    type: family === 4 ? 'udp4' : 'udp6',
    recvBufferSize: RECEIVE_BUFFER_BYTES,
    // Only addresses are passed; Node would look up each of them.
    lookup: (address, _options, done) => done(null, address, family),
  })
  socket.bind({ fd })
  // The deadlines of checks keep the thread alive.
  return socket.unref()
}

/** Without the warning that it is experimental, which says nothing to the people who run a probe. */
function loadFfi(): typeof FFI {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:ffi')
  } finally {
    process.emitWarning = emitWarning
  }
}
