import { openSync, readSync } from 'node:fs'

const LONGEST = 96
const BLANK = 32
const ZERO = 48

/**
 * How long the calling thread has waited for a processor although it could have run, in µs since it began. To be called on the
 * thread that uses it. Always 0 on systems other than Linux.
 *
 * A read costs 2 µs: the kernel writes three numbers, of which this is the second.
 */
export function openRunDelay(): () => number {
  const file = open()
  if (file === undefined) return () => 0
  const text = Buffer.alloc(LONGEST)
  return () => {
    const length = readSync(file, text, 0, LONGEST, 0)
    let at = text.indexOf(BLANK) + 1
    let ns = 0
    for (; at < length && text[at] !== BLANK; at++) ns = ns * 10 + ((text[at] as number) - ZERO)
    return ns / 1_000
  }
}

function open(): number | undefined {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    // Another system, or a kernel without these numbers.
    return undefined
  }
}
