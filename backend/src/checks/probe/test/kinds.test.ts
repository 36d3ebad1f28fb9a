import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CheckDefinition } from '@vedette/shared'
import { closeWire } from '../connect/wire.ts'
import { createProber, type Prober } from '../index.ts'
import { CHECK_KINDS } from '../kinds/index.ts'
import type { CheckKind } from '../kinds/kind.ts'
import { startTarget, type Target } from './targets.ts'

interface TcpDefinition {
  type: 'tcp'
  host: string
  port: number
  timeout: number
  assertions: CheckDefinition['assertions']
}

/** All that a further kind needs: this object, in a file of its own, and its line in the registry. */
const tcp: CheckKind<TcpDefinition> = {
  type: 'tcp',
  hostOf: ({ host }) => host,
  start({ host, port }, attempt, { connector }) {
    const cancel = connector.connect({ host, port, plain: true }, attempt.timeline, (outcome) => {
      if ('code' in outcome) return attempt.fail(outcome)
      attempt.facts.address = outcome.address
      attempt.hold(() => closeWire(outcome))
      attempt.answer({ headers: new Map(), body: Buffer.alloc(0) })
    })
    attempt.hold(cancel)
  },
}

let prober: Prober
let target: Target
const check = (change: Partial<TcpDefinition>) => {
  const definition = { type: 'tcp', host: 'localhost', port: target.port, timeout: 5, assertions: [], ...change }
  return prober.check(definition as unknown as CheckDefinition)
}

beforeAll(async () => {
  target = await startTarget(() => {})
  prober = createProber({ allowPrivateTargets: ['127.0.0.0/8', '::1'] }, { kinds: [...CHECK_KINDS, tcp] })
})
afterAll(async () => {
  prober.close()
  await target.close()
})

test('a new kind resolves, is guarded, timed and judged like the first one', async () => {
  const up = await check({})
  expect(up).toMatchObject({ outcome: 'up', error: null, status_code: null, address: '127.0.0.1', first_byte_ms: null })
  expect(up.response_ms).toBeCloseTo((up.dns_ms ?? 0) + (up.connect_ms ?? 0), 6)
  expect(await check({ port: 1 })).toMatchObject({ outcome: 'down', error: { code: 'connect' } })
  expect(await check({ host: '10.0.0.1' })).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  expect(await check({ port: 25 })).toMatchObject({ outcome: 'down', error: { code: 'blocked' } })
  const slow = [{ type: 'response_time', operator: 'less_than', value: 0 } as const]
  expect(await check({ assertions: slow })).toMatchObject({ outcome: 'degraded', error: { code: 'assertion' } })
})
