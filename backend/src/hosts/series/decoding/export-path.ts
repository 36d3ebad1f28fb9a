/** A request of an export names the organizations it came through, the last one at the end. */
export const EXPORT_PATH_HEADER = 'x-vedette-export-path'
/** Organizations of a path: what came through as many is sent no further. */
export const MAX_EXPORT_PATH = 8

const PATH = new RegExp(String.raw`^org_[0-9a-z]{26}(,org_[0-9a-z]{26}){0,${MAX_EXPORT_PATH - 1}}$`)

/** What the header says; empty without it, and where it is none. */
export const exportPathOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && PATH.test(header) ? header : ''

/** With an organization at the end; undefined where it is there already, or the path is full. */
export function continuePath(path: string, organization: string): string | undefined {
  const passed = path === '' ? [] : path.split(',')
  if (passed.includes(organization) || passed.length >= MAX_EXPORT_PATH) return undefined
  return [...passed, organization].join(',')
}
