import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROGRAMS } from '../launch/programs.mjs'

const INSTALLED = join(import.meta.dirname, '../../installers/files')
const flagsIn = (text: string): string[] => [...text.matchAll(/--[a-z-]+(?:=\d+)?(?=[\s",]|$)/g)].map(([flag]) => flag)
const flagsOf = (command: string) => PROGRAMS.vedette([command]).argv.filter((word) => word.startsWith('--'))
const lineOf = (file: string, start: RegExp): string =>
  readFileSync(join(INSTALLED, file), 'utf8')
    .split('\n')
    .find((line) => start.test(line))
    ?.replace('set -- ', '') ?? ''

it.each([
  ['the backend of a package', 'start', lineOf('vedette.sh', /^ *\*\)/)],
  ['the checks of a package', 'work', lineOf('vedette.sh', /work \| probe/)],
  ['a command that reads a large folder', 'migrate-from', lineOf('vedette.sh', /migrate-from \| oncall-diff/)],
  ['the image of a probe', 'probe', lineOf('Containerfile.probe', /^ENTRYPOINT/)],
])('%s runs with the flags that the launcher gives Node', (_what, command, line) => {
  expect(flagsIn(line)).toEqual(flagsOf(command))
})
