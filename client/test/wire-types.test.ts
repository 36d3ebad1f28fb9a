import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { wireTypes } from '../build/wire-types.ts'

const client = join(import.meta.dirname, '..')

test('the package writes out exactly the types of the schemas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-types-'))
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  // What a probe receives is open, so that it accepts kinds that are newer than itself.
  const open = new Set(['ClaimedCheck', 'ClaimsAnswer'])
  const names = [...wireTypes().matchAll(/^ {2}(\w+): \1$/gm)].map(([, name = '']) => name).filter((name) => !open.has(name))
  expect(names.length).toBeGreaterThan(80)
  write('wire.ts', wireTypes())
  const pairs = names.map(
    (name) =>
      `export const _${name}: [(it: A['${name}']) => B['${name}'], (it: B['${name}']) => A['${name}']] = [(it) => it, (it) => it]`,
  )
  const imports = [`import type { Wire as A } from '${client}/src/wire.ts'`, "import type { Wire as B } from './wire.ts'"]
  write('same.ts', [...imports, ...pairs].join('\n'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(client, '../node_modules/@types'), join(folder, 'node_modules/@types'))
  const options = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--allowImportingTsExtensions', '--skipLibCheck']
  const module = ['--target', 'esnext', '--module', 'nodenext', '--types', 'node', '--ignoreConfig']
  const tsc = join(client, '../node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, ...options, ...module, 'same.ts'], { cwd: folder, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
})
