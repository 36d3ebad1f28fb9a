import { CONFIRMATIONS, type ErrorDetail, MONITOR_INTERVAL_SECONDS, TIMEOUT_SECONDS } from '@vedette/shared'

export const isComposite = ({ type }: { type: string }): boolean => type === 'composite'

/** Fields of checks, which composites do not have: neither in requests nor in answers. */
export const CHECK_FIELDS = ['url', 'interval', 'timeout', 'regions', 'credentials', 'assertions', 'confirmations'] as const

/** What stands in the columns of the check that a composite does not have. */
const FIXED = {
  url: 'composite:',
  interval: MONITOR_INTERVAL_SECONDS.default,
  timeout: TIMEOUT_SECONDS.default,
  regions: [],
  credentials: {},
  assertions: [],
  confirmations: CONFIRMATIONS.minimum,
}

/** The definition with nothing of a check. Others stay as they are. */
export const completeComposite = <T extends { type: string }>(definition: T): T =>
  isComposite(definition) ? { ...definition, ...FIXED } : definition

/** Faults of a request that gives a composite fields of checks. Pure. */
export const foreignFieldFaults = (definition: { type: string }, given: object): ErrorDetail[] =>
  isComposite(definition)
    ? CHECK_FIELDS.filter((field) => Object.hasOwn(given, field)).map((path) => ({
        path,
        message: 'is a field of checks, which composites do not have',
      }))
    : []

const IS_CHECK_FIELD: ReadonlySet<string> = new Set(CHECK_FIELDS)

/** A composite without the fields of checks; others stay as they are. Pure. */
export const withoutCheckFields = <T extends { type?: string }>(monitor: T): T =>
  monitor.type === 'composite'
    ? (Object.fromEntries(Object.entries(monitor).filter(([name]) => !IS_CHECK_FIELD.has(name))) as T)
    : monitor
