import { expect, test } from 'vitest'
import { unknownLibraryMessage } from '../build/bases.ts'
import { targetOf } from './build.ts'

test('with an unknown libatomic the build reports the expected one, the actual one, and the remedy', () => {
  const { libatomic } = targetOf('linux-x64')
  if (!libatomic) throw new Error('linux-x64 has no libatomic')
  const words = unknownLibraryMessage(libatomic, 'ab12', '')
  expect(words).toContain('libatomic1:amd64 12.2.0-14+deb12u1 (Debian 12), but that of this machine has the sha256 ab12')
  expect(words).toContain('copy the library of that package to /usr/lib/x86_64-linux-gnu/libatomic.so.1.2.0')
  expect(unknownLibraryMessage(libatomic, undefined, 'E: Unable to locate package\n')).toContain('Unable to locate package')
})
