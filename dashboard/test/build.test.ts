import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const DIST = join(import.meta.dirname, '../dist')

interface Part {
  file: string
  imports?: string[]
}

const parts = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Part>

/** What the browser has to have before it runs these, each once. */
function filesOf(names: readonly string[]): Set<string> {
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

const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0) / 1_000

describe('the build', () => {
  it('takes at most 200 kB of compressed script for sign-in and overview, and less for the sign-in alone', () => {
    const signIn = kilobytes(filesOf(['index.html']))
    const overview = kilobytes(filesOf(['index.html', 'src/app/signed-in.tsx']))
    expect(overview).toBeLessThanOrEqual(200)
    expect(signIn).toBeLessThan(overview)
  })

  it('loads charts only where there are some', () => {
    const all = [...filesOf(['index.html', 'src/app/signed-in.tsx'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    const details = [...filesOf(['src/features/servers/details.tsx'])]
      .map((file) => readFileSync(join(DIST, file), 'utf8'))
      .join('')
    expect([all.includes('u-over'), details.includes('u-over')]).toEqual([false, true])
  })

  it('has no inline script and no inline style, which the content security policy would refuse', () => {
    const page = readFileSync(join(DIST, 'index.html'), 'utf8')
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/)
  })
})
