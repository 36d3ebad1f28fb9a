import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

export const DIST = join(import.meta.dirname, '../../dist')

interface Part {
  file: string
  imports?: string[]
}

/** The files that the browser loads before it runs these entries, each one once. */
export function filesOf(names: readonly string[]): Set<string> {
  const parts = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Part>
  const files = new Set<string>()
  const add = (name: string) => {
    const part = parts[name]
    if (!part || files.has(part.file)) return
    files.add(part.file)
    for (const other of part.imports ?? []) add(other)
  }
  for (const name of names) add(name)
  return files
}

export const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0) / 1_000

const PAGES = {
  signIn: [],
  overview: ['src/app/signed-in.tsx'],
  serverDetails: ['src/app/signed-in.tsx', 'src/features/servers/details.tsx'],
  monitorDetails: ['src/app/signed-in.tsx', 'src/features/monitors/details.tsx'],
} as const

/** Gzipped script of a first load, kB. */
export const scriptKilobytes = (): Record<string, number> =>
  Object.fromEntries(
    Object.entries(PAGES).map(([name, parts]) => [
      name,
      Math.round(kilobytes(filesOf(['index.html', 'src/messages/en.ts', ...parts])) * 10) / 10,
    ]),
  )
