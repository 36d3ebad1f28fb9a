import type { ErrorDetail } from '@vedette/shared'
import { CHECK_KINDS } from './index.ts'

/** Patterns and paths in options that cannot be used. Without a type those of any kind. */
export const optionPatternFaults = (input: { type?: string; options?: Readonly<Record<string, unknown>> }): ErrorDetail[] =>
  CHECK_KINDS.filter(({ type }) => input.type === undefined || type === input.type).flatMap(
    (kind) => kind.patternFaults?.(input.options ?? {}) ?? [],
  )
