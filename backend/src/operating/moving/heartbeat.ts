import { MAX_SLUG_LENGTH, PERIOD_SECONDS } from '@vedette/shared'
import { moved, type Moved, nameOf, newNotes, refused, type Source } from './model.ts'

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH - 3)

/** A heartbeat that is expected each so many seconds, as a monitor here. */
export function toHeartbeat(source: Source, ref: string, seconds: number): Moved {
  const { minimum, maximum } = PERIOD_SECONDS
  if (!(seconds >= minimum && seconds <= maximum))
    return { resources: [], report: [refused(source, `its interval must be ${minimum} to ${maximum} seconds`)] }
  const notes = newNotes()
  notes.changes.push('it has a new address, which its senders must be given')
  const spec = {
    name: nameOf(source.name),
    type: 'heartbeat',
    url: `heartbeat://hb-${slugOf(source.name)}`,
    options: { schedule: { period_seconds: seconds, grace_seconds: 0 } },
  }
  return { resources: [{ kind: 'monitor', ref, spec }], report: [moved(source, [`monitor:${ref}`], notes)] }
}
