import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSealer } from '../sealer.ts'

const PLAIN = Buffer.from('JBSWY3DPEHPK3PXP')
const [old, young] = [randomBytes(32), randomBytes(32)]

describe('what is sealed', () => {
  it('opens again, and never looks the same twice [SECRET-03]', () => {
    const sealer = createSealer([young])
    const [one, two] = [sealer.seal(PLAIN, 'ada'), sealer.seal(PLAIN, 'ada')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes(PLAIN)).toBe(false)
    expect(sealer.open(one, 'ada')).toEqual(PLAIN)
    expect(sealer.open(sealer.seal(Buffer.alloc(0), 'ada'), 'ada')).toEqual(Buffer.alloc(0))
  })

  it('opens with every key of the installation, and is sealed by the newest', () => {
    const before = createSealer([old]).seal(PLAIN, 'ada')
    const rotated = createSealer([young, old])
    expect(rotated.open(before, 'ada')).toEqual(PLAIN)
    expect(createSealer([young]).open(rotated.seal(PLAIN, 'ada'), 'ada')).toEqual(PLAIN)
    expect(createSealer([young]).open(before, 'ada')).toBeUndefined()
    expect([rotated.isNewest(before, 'ada'), rotated.isNewest(rotated.seal(PLAIN, 'ada'), 'ada')]).toEqual([false, true])
  })

  it("does not open in another's name, cut short, or changed in any byte", () => {
    const sealer = createSealer([young])
    const sealed = sealer.seal(PLAIN, 'ada')
    expect(sealer.open(sealed, 'eve')).toBeUndefined()
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(sealer.open(changed, 'ada'), `byte ${index}`).toBeUndefined()
      expect(sealer.open(sealed.subarray(0, index), 'ada'), `${index} bytes`).toBeUndefined()
    }
  })
})
