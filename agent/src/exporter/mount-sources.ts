import { unescapePath } from '../samplers/linux/mounts.ts'
import { eachLine } from '../samplers/linux/text.ts'

export interface Mounted {
  /** What is mounted, as `/dev/sda1`. */
  source: string
  isReadOnly: boolean
}

/** What is mounted at each path of /proc/self/mountinfo; of several mounts of one path the last, which hides the others. */
export function parseSources(text: string): Map<string, Mounted> {
  const sources = new Map<string, Mounted>()
  eachLine(text, (start, end) => {
    const [own, filesystem = ''] = text.slice(start, end).split(' - ', 2)
    const [, , , , path, options = ''] = own?.split(' ') ?? []
    const [, source = '', all = ''] = filesystem.split(' ')
    if (path === undefined) return
    const isReadOnly = [options, all].some((list) => list.split(',').includes('ro'))
    sources.set(unescapePath(path), { source: unescapePath(source), isReadOnly })
  })
  return sources
}
