import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { RUNTIME_FILES } from '../build/backend.ts'

const root = resolve(import.meta.dirname, '../..')

test('every file that the backend reads from its home folder is packed', () => {
  const sources = globSync('backend/src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  const paths = sources.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/new URL\('([^']+)', HOME_FOLDER\)/g)].map(([, file = '']) =>
      file.replace(/\/$/, ''),
    ),
  )
  expect(paths).toContain('installers/scripts')
  // The agent is packed as it was bundled for this build.
  const packed = [...RUNTIME_FILES, 'agent/dist']
  expect(paths.filter((file) => !packed.some((one) => file === one || file.startsWith(`${one}/`)))).toEqual([])
  expect(RUNTIME_FILES.filter((file) => file !== 'dashboard/dist' && !existsSync(join(root, file)))).toEqual([])
})
