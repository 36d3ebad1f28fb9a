import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'lint-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Lints the planted files with the repository's own settings and gives the names of the rules that refused. */
function lint(files: Record<string, string>): string[] {
  copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
  const tsconfig = {
    compilerOptions: { module: 'nodenext', strict: true, noEmit: true, allowImportingTsExtensions: true },
    include: ['*.ts'],
  }
  for (const [path, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(tsconfig) }))
    writeFileSync(join(folder, path), text)
  const oxlint = join(root, 'node_modules/.bin/oxlint')
  const run = spawnSync(oxlint, ['--type-aware', '--deny-warnings', '--format=json', ...Object.keys(files)], {
    cwd: folder,
    encoding: 'utf8',
  })
  const { diagnostics } = JSON.parse(run.stdout) as { diagnostics: { code: string; filename: string }[] }
  return [...new Set(diagnostics.map(({ code }) => code))].sort()
}

test('the lint settings refuse an import cycle and a promise that nobody waits for', () => {
  const wrong = {
    'a.ts': "import { b } from './b.ts'\nexport const a = () => b()\n",
    'b.ts': "import { a } from './a.ts'\nexport const b = (): void => a()\n",
    'c.ts': 'const work = async (): Promise<number> => 1\nexport function run(): void {\n  work()\n}\n',
  }
  expect(lint(wrong)).toEqual(['import(no-cycle)', 'typescript(no-floating-promises)'])
  const right = {
    'a.ts': 'export const a = (): number => 1\n',
    'b.ts': "import { a } from './a.ts'\nexport const b = (): number => a()\n",
    'c.ts': 'const work = async (): Promise<number> => 1\nexport async function run(): Promise<void> {\n  await work()\n}\n',
  }
  expect(lint(right)).toEqual([])
})
