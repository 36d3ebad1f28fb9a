import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Build } from './tools.ts'

/** A file of installers/packages with its placeholders filled in; throws for a placeholder without a value. */
export function template(build: Build, name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(build.root, 'installers/packages', name), 'utf8')
  return text.replaceAll(/@([A-Z_]+)@/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`${name} has @${key}@, for which there is no value`)
    return value
  })
}
