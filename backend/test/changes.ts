import type { Changes } from '../src/platform/db/index.ts'

/** As behind a transaction pooler: everything has to be polled for. */
export const NO_ANNOUNCEMENTS: Pick<Changes, 'on' | 'isHeard'> = { on: () => undefined, isHeard: () => false }

/** Announcements that a test makes. */
export function announcements() {
  const listeners: [string, (detail: string | undefined) => void][] = []
  const changes: Pick<Changes, 'on' | 'isHeard'> = {
    on: (topic, onChange) => void listeners.push([topic, onChange]),
    isHeard: () => true,
  }
  const announce = (topic: string, detail?: string): void => {
    for (const [each, onChange] of listeners) if (each === topic) onChange(detail)
  }
  return { changes, announce }
}
