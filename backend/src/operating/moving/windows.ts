import { type ConfigurationResource, DAY_MS, MAX_WINDOW_DAYS, toTimestamp } from '@vedette/shared'
import { moved, type Moved, nameOf, newNotes, refused, type Source } from './model.ts'

/** Monitors and servers get these tags by hand: what a source suppresses is not known here. */
const tagOf = (id: string): string => `moved:${id}`.slice(0, 50)

/** Maintenance of services as windows here: one a service, of the targets that have its tag. */
export function toWindows(
  source: Source,
  ref: string,
  { startMs, endMs }: { startMs: number | undefined; endMs: number | undefined },
  services: readonly string[],
  nowMs: number,
): Moved {
  const no = (reason: string): Moved => ({ resources: [], report: [refused(source, reason)] })
  if (startMs === undefined || endMs === undefined || endMs <= startMs) return no('it has no start and end with an offset')
  if (endMs <= nowMs) return no('it has ended')
  if (endMs - startMs > MAX_WINDOW_DAYS * DAY_MS) return no(`it is longer than ${MAX_WINDOW_DAYS} days`)
  if (services.length === 0) return no('it names no service')
  const notes = newNotes()
  const resources = services.map((service, index): ConfigurationResource => {
    const spec = {
      name: nameOf(source.name),
      target: { type: 'monitor', tag: tagOf(service) },
      starts_at: toTimestamp(startMs),
      ends_at: toTimestamp(endMs),
    }
    return { kind: 'maintenance_window', ref: index === 0 ? ref : `${ref}/${index + 1}`, spec }
  })
  const tags = services.map(tagOf).join(', ')
  notes.changes.push(`it suppresses monitors with the tag ${tags}: add it to what it is about`)
  return {
    resources,
    report: [
      moved(
        source,
        resources.map((one) => `maintenance_window:${one.ref}`),
        notes,
      ),
    ],
  }
}
