import { describe, expect, it } from 'vitest'
import { hostLines, needsHttpLeave } from './host-lines.ts'

describe('the lines for a host', () => {
  it('hand the key over by a file of its owner alone, which is gone afterwards', () => {
    expect(hostLines('linux', { origin: 'https://v.example', key: 'vdt_key_x' })).toEqual([
      "(umask 077; printf '%s' 'vdt_key_x' > vedette.key)",
      'sudo vedette-agent register --url https://v.example --api-key-file vedette.key && rm vedette.key',
      'sudo vedette-agent run',
    ])
  })

  it.each([
    ['https://v.example', false],
    ['http://127.0.0.1:8080', false],
    ['http://localhost:8080', false],
    ['http://[::1]:8080', false],
    ['http://10.0.0.5:8080', true],
    ['http://v.example', true],
  ])('%s takes a leave to send unencrypted: %s', (origin, wanted) => {
    expect(needsHttpLeave(origin)).toBe(wanted)
    expect(hostLines('clone', { origin, key: 'k' })[1]?.includes(' --allow-http ')).toBe(wanted)
  })
})
