import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readPublicKey, readSigningKey } from './manifest.ts'

export function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > max) throw new Error(`${name} must be a whole number up to ${max}`)
  return value
}

/** The signing key, if there is one, and the keys that programs trust. */
export function readKeys(
  signingFile: string | undefined,
  nextFile: string | undefined,
): { signing?: KeyObject; trusted: KeyObject[] } {
  if (signingFile === undefined) return { trusted: [] }
  const signing = readSigningKey(readFileSync(signingFile, 'utf8'))
  const next = nextFile === undefined ? [] : [readPublicKey(readFileSync(nextFile, 'utf8'))]
  return { signing, trusted: [createPublicKey(signing), ...next] }
}
