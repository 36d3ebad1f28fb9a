import { open } from 'node:fs/promises'
import { execFileSync } from 'node:child_process'

const TUNSETIFF = 0x400454ca
const TUN_WITHOUT_INFORMATION = 0x1001
const HEADER_BYTES = 20

/** How an address answers the n-th echo request: after so many milliseconds, or not at all. */
type Behavior = (n: number) => number | 'lost'

/** The hosts of 10.9.0.0/24. */
const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  '10.9.0.2': (n) => (n % 4 === 1 ? 'lost' : 0),
  '10.9.0.3': (n) => 100 + 100 * (n % 2),
  '10.9.0.4': () => 'lost',
  // Out of order: the first reply comes after the second.
  '10.9.0.5': (n) => (n === 0 ? 300 : 0),
}

/**
 * A process of its own: hosts behind a network device of this namespace, which answer ICMP echo over IPv4. Prints `ready`, and ends with
 * its standard input.
 */
const device = await open('/dev/net/tun', 'r+')
const request = Buffer.alloc(40)
request.write('tun0')
request.writeUInt16LE(TUN_WITHOUT_INFORMATION, 16)
const { dlopen, getRawPointer } = process.getBuiltinModule('node:ffi')
const { functions } = dlopen(null, { ioctl: { arguments: ['i32', 'u64', 'pointer'], return: 'i32' } })
if (functions.ioctl(device.fd, BigInt(TUNSETIFF), getRawPointer(request)) < 0) throw new Error('no network device')
execFileSync('ip', ['address', 'add', '10.9.0.1/24', 'dev', 'tun0'])
execFileSync('ip', ['link', 'set', 'tun0', 'up'])
process.stdin.on('end', () => process.exit()).resume()
console.log('ready')

const counts = new Map<string, number>()
for (;;) {
  const { bytesRead, buffer } = await device.read(Buffer.alloc(2_048))
  const packet = buffer.subarray(0, bytesRead)
  const address = packet.subarray(16, 20).join('.')
  const behavior = BEHAVIORS[address]
  if (packet[0] !== 0x45 || packet[9] !== 1 || packet[HEADER_BYTES] !== 8 || !behavior) continue
  const n = counts.get(address) ?? 0
  counts.set(address, n + 1)
  const delayMs = behavior(n)
  if (delayMs !== 'lost') setTimeout(() => void device.write(replyTo(packet)), delayMs)
}

function replyTo(packet: Buffer): Buffer {
  const reply = Buffer.from(packet)
  packet.copy(reply, 12, 16, 20)
  packet.copy(reply, 16, 12, 16)
  reply[HEADER_BYTES] = 0
  // The type is part of the sum: 8 became 0.
  const sum = reply.readUInt16BE(HEADER_BYTES + 2) + 0x0800
  reply.writeUInt16BE((sum & 0xffff) + (sum >> 16), HEADER_BYTES + 2)
  return reply
}
