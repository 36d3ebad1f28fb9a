import { describe, expect, it } from 'vitest'
import { phaseLines } from './phase-lines.ts'

const NEVER = [0, 0]

/** The name of each line with its figures, the last phase first. */
const shown = (phases: Partial<Parameters<typeof phaseLines>[0]>) =>
  phaseLines({ dns_ms: NEVER, connect_ms: NEVER, tls_ms: NEVER, first_byte_ms: NEVER, transfer_ms: NEVER, ...phases })

describe('the lines of the phases', () => {
  it('are the sums up to each phase, without phases that never happened', () => {
    const lines = shown({ connect_ms: [0, 2], first_byte_ms: [10, null], transfer_ms: [1, 1] })
    expect(lines.map(({ label, figures, values }) => [label, figures, values])).toEqual([
      ['Transfer', [1, 1], [11, 1]],
      ['First byte', [10, null], [10, null]],
      ['Connect', [0, 2], [0, 2]],
    ])
  })

  it('are none of one phase alone and of none, and all before the first check', () => {
    expect(shown({ connect_ms: [3, 4] })).toEqual([])
    expect(shown({})).toEqual([])
    const empty = [null, null]
    const phases = { dns_ms: empty, connect_ms: empty, tls_ms: empty, first_byte_ms: empty, transfer_ms: empty }
    expect(phaseLines(phases).map(({ label }) => label)).toEqual(['Transfer', 'First byte', 'TLS', 'Connect', 'DNS'])
  })
})
