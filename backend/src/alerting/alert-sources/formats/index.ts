import type { AlertSourceType } from '@vedette/shared'
import { alertmanager } from './alertmanager.ts'
import type { AlertFormat } from './format.ts'
import { generic } from './generic.ts'

/** The readers of what senders post. A source of another type is refused when it is written. */
export const FORMATS: Readonly<Partial<Record<AlertSourceType, AlertFormat>>> = { alertmanager, generic }
