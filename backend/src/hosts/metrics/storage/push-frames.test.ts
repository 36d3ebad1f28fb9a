import { expect, it } from 'vitest'
import { framedPushes } from './push-frames.ts'

interface Push {
  t0Ms: number
  tLastMs: number
  receivedAtMs: number
  digest: number[]
  block: number[]
}

function frameOf({ t0Ms, tLastMs, receivedAtMs, digest, block }: Push): Buffer {
  const head = Buffer.alloc(24)
  for (const [index, ms] of [t0Ms, tLastMs, receivedAtMs].entries()) head.writeBigInt64BE(BigInt(ms), index * 8)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(block.length)
  return Buffer.concat([head, Buffer.from(digest), length, Buffer.from(block)])
}

const push = (more: Partial<Push>): Push => ({
  t0Ms: 1_796_048_515_238,
  tLastMs: 1_796_048_575_238,
  receivedAtMs: 1_796_048_576_001,
  digest: [255, 1, 2, 3, 4, 5, 6, 7],
  block: [9],
  ...more,
})

it.each([
  ['none', []],
  ['one', [push({})]],
  ['several of other lengths', [push({ block: [] }), push({ t0Ms: 0, block: Array.from({ length: 300 }, () => 7) }), push({})]],
  ['instants before 1970 and far after', [push({ t0Ms: -1, tLastMs: -(2 ** 40), receivedAtMs: 2 ** 52 })]],
])('joined frames are read back: %s', (_, pushes) => {
  const read = framedPushes(Buffer.concat(pushes.map(frameOf))).map(({ t0Ms, tLastMs, receivedAtMs, digest, block }) => ({
    t0Ms,
    tLastMs,
    receivedAtMs,
    digest: [...digest],
    block: [...block],
  }))
  expect(read).toEqual(pushes)
})
