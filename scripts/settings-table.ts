import { readFileSync, writeFileSync } from 'node:fs'

// Writes what follows from the declarations of the settings: the table in docs/operations.md, and the names that the agent knows.
// By their addresses: this folder is a project of its own for the compiler.
const settings = new URL('../backend/src/operating/settings/', import.meta.url)
const { settingsTable } = (await import(new URL('table.ts', settings).href)) as { settingsTable(): string }
const { DECLARATIONS } = (await import(new URL('declarations.ts', settings).href)) as { DECLARATIONS: object }

const names = Object.keys(DECLARATIONS).filter((name) => name.startsWith('VEDETTE_'))
replaceIn('docs/operations.md', /^\| setting +\| holds[\s\S]*?(?=\n\n)/m, settingsTable())
replaceIn(
  'shared/src/operating/environment-names.ts',
  /(?<=^export const BACKEND_VARIABLES = \[\n)[^\]]*/m,
  names.map((name) => `  '${name}',\n`).join(''),
)

function replaceIn(path: string, old: RegExp, text: string): void {
  const file = new URL(`../${path}`, import.meta.url)
  const before = readFileSync(file, 'utf8')
  if (!old.test(before)) throw new Error(`${path} has no place for the settings`)
  writeFileSync(
    file,
    before.replace(old, () => text),
  )
}
