import { expect, it } from 'vitest'
import { roundsOf } from '../../scripts/test-rounds.ts'
import { killSenders } from './kill-senders.ts'

it('a worker that is killed around a change of status loses no notification, and none gets another id', {
  timeout: 300_000,
}, async () => {
  expect(await killSenders(roundsOf(3))).toMatchObject({ missing: 0, underAnotherId: 0, passes: true })
})
