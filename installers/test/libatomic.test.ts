import { expect, test } from 'vitest'
import { unknownLibrary } from '../build/bases.ts'
import { targetOf } from './build.ts'

test('where another Debian has another libatomic the build says which it wants, what it found, and what to do', () => {
  const { libatomic } = targetOf('linux-x64')
  if (!libatomic) throw new Error('linux-x64 has no libatomic')
  const words = unknownLibrary(libatomic, 'ab12', '')
  expect(words).toContain('libatomic1:amd64 12.2.0-14+deb12u1 (Debian 12), and that of this machine has the sha256 ab12')
  expect(words).toContain('put the library of that package at /usr/lib/x86_64-linux-gnu/libatomic.so.1.2.0')
  expect(unknownLibrary(libatomic, undefined, 'E: Unable to locate package\n')).toContain('Unable to locate package')
})
