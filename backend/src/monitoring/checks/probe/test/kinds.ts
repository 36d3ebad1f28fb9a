import { type CheckDefinition, type CheckTypeId, validateDefinition } from '@vedette/shared'
import type { Prober } from '../index.ts'
import { defineCheck } from './define-check.ts'
import { unhindered } from './targets.ts'

/** What a test changes of a definition; options as the API takes them. */
export type KindCheck = Partial<Pick<CheckDefinition, 'timeout' | 'assertions'>> & {
  options?: object
  credentials?: Record<string, string>
}

const define = (type: CheckTypeId, url: string, { options, ...change }: KindCheck) =>
  defineCheck(type, url, options, change as Parameters<typeof defineCheck>[3])

/** A check of a kind, the first that the machine did not hold up. */
export async function checkKind(prober: Prober, type: CheckTypeId, url: string, check: KindCheck = {}) {
  const { facts = {}, ...result } = await unhindered(() => prober.check(define(type, url, check)))
  return { ...result, facts }
}

/** `path: message` of each fault that the API refuses a monitor with. */
export const faultsOf = (type: CheckTypeId, url: string, check: KindCheck = {}): string[] =>
  validateDefinition(define(type, url, check)).map(({ path, message }) => `${path}: ${message}`)
