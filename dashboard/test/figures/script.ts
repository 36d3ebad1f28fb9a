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

const FIRST = ['index.html', 'src/messages/en.ts', 'src/app/signed-in.tsx'] as const

/** Gzipped script of the sign-in, of the overview, and of the largest further page with what it loads when it is used, kB. */
export function scriptKilobytes(): { signIn: number; overview: number; largestPage: { name: string; kilobytes: number } } {
  const first = filesOf(FIRST)
  const parts = Object.keys(JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as object)
  const pages = parts
    .filter((name) => /^src\/features\/.*\.tsx$/.test(name))
    .map((name) => {
      const used = name.endsWith('editor-page.tsx') ? [name, 'src/lib/faults.ts'] : [name]
      return { name, kilobytes: rounded(kilobytes([...filesOf(used)].filter((file) => !first.has(file)))) }
    })
  const [largestPage] = pages.toSorted((one, other) => other.kilobytes - one.kilobytes)
  if (!largestPage) throw new Error('the build has no pages')
  return {
    signIn: rounded(kilobytes(filesOf(['index.html', 'src/messages/en.ts']))),
    overview: rounded(kilobytes(first)),
    largestPage,
  }
}

const rounded = (value: number): number => Math.round(value * 10) / 10
