import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEncrypter } from './encrypter.ts'

const PLAIN = Buffer.from('JBSWY3DPEHPK3PXP')
const [old, young] = [randomBytes(32), randomBytes(32)]

describe('what is encrypted', () => {
  it('opens again, and never looks the same twice [SECRET-03]', () => {
    const encrypter = createEncrypter([young])
    const [one, two] = [encrypter.encrypt(PLAIN, 'ada'), encrypter.encrypt(PLAIN, 'ada')]
    expect(one.equals(two)).toBe(false)
    expect(one.includes(PLAIN)).toBe(false)
    expect(encrypter.decrypt(one, 'ada')).toEqual(PLAIN)
    expect(encrypter.decrypt(encrypter.encrypt(Buffer.alloc(0), 'ada'), 'ada')).toEqual(Buffer.alloc(0))
  })

  it('opens with every key of the installation, and is encrypted by the newest', () => {
    const before = createEncrypter([old]).encrypt(PLAIN, 'ada')
    const rotated = createEncrypter([young, old])
    expect(rotated.decrypt(before, 'ada')).toEqual(PLAIN)
    expect(createEncrypter([young]).decrypt(rotated.encrypt(PLAIN, 'ada'), 'ada')).toEqual(PLAIN)
    expect(createEncrypter([young]).decrypt(before, 'ada')).toBeUndefined()
    expect([rotated.usesCurrentKey(before, 'ada'), rotated.usesCurrentKey(rotated.encrypt(PLAIN, 'ada'), 'ada')]).toEqual([
      false,
      true,
    ])
  })

  it("does not open in another's name, cut short, or changed in any byte", () => {
    const encrypter = createEncrypter([young])
    const encrypted = encrypter.encrypt(PLAIN, 'ada')
    expect(encrypter.decrypt(encrypted, 'eve')).toBeUndefined()
    for (let index = 0; index < encrypted.length; index += 1) {
      const changed = Buffer.from(encrypted)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(encrypter.decrypt(changed, 'ada'), `byte ${index}`).toBeUndefined()
      expect(encrypter.decrypt(encrypted.subarray(0, index), 'ada'), `${index} bytes`).toBeUndefined()
    }
  })
})
