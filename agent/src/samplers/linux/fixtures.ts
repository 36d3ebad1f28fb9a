import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, 'fixtures')

/** A file of fixtures/, whose README says where each is from. */
export function fixture(path: string): string {
  return readFileSync(join(folder, path), 'latin1')
}

export function fixturePath(path: string): string {
  return join(folder, path)
}
